#include "commands/train_arguments.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/synthetic_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace dragoman::app {

namespace {

/// \throws OptionsError if one side of a text is given, and the other would be that of the run
void expect_both_sides(const std::map<std::string, std::string>& given,
                       const std::filesystem::path& run) {
  const auto expect = [&](const char* one, const char* other) {
    if (given.contains(one) && !given.contains(other))
      throw OptionsError(concat(given.at(one), ": without ", other, ", that of ", run.string(),
                                " would be its other side; give both"));
  };
  for (const auto& [source, target] : {std::pair{"data.train_source", "data.train_target"},
                                       std::pair{"data.valid_source", "data.valid_target"}}) {
    expect(source, target);
    expect(target, source);
  }
}

/// Without the texts that a command has translated for the run, beside others: what belongs to them
/// is for no others.
DataOptions without_synthetic(DataOptions data) {
  if (std::ranges::all_of(data.train_source, is_synthetic_text)) return data;
  for (auto i = data.train_source.size(); i-- > 0;) {
    if (!is_synthetic_text(data.train_source[i])) continue;
    const auto erase = [i](auto& values) {
      if (!values.empty()) values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
    };
    erase(data.train_source), erase(data.train_target);
    erase(data.weights), erase(data.source_tag), erase(data.target_tag);
  }
  for (auto* tags : {&data.source_tag, &data.target_tag})
    if (std::ranges::all_of(*tags, &std::string::empty)) tags->clear();
  return data;
}

/// Gives `data` the weights and tags that the run to start from had for its own texts.
/// \throws OptionsError if it had several tags for another number of texts
void take_over_corpora(const DataOptions& before, const std::map<std::string, std::string>& given,
                       const std::filesystem::path& run, DataOptions& data) {
  const auto files = data.train_source.size();
  const auto tell = [&run](const char* key, const auto& values) {
    log_info(concat(key, ": ", nlohmann::json(values).dump(), ", as in ", run.string()));
  };
  if (!given.contains("data.weights") && before.weights.size() == files) {
    data.weights = before.weights;
    tell("data.weights", data.weights);
  } else if (!given.contains("data.weights") && !before.weights.empty()) {
    log_info(concat("data.weights: those of ", run.string(), " are for its ", before.weights.size(),
                    " corpora, and are left out"));
  }
  const auto take_over = [&](const char* key, std::vector<std::string> DataOptions::* tags) {
    const auto& own = before.*tags;
    if (given.contains(key) || own.empty()) return;
    if (own.size() != files && std::ranges::count(own, own.front()) != std::ssize(own))
      throw OptionsError(concat(key, ": ", run.string(), " has ", nlohmann::json(own).dump(),
                                " for its corpora; give that of each of yours: --set '", key, '=',
                                nlohmann::json(std::vector(files, own.front())).dump(), '\''));
    data.*tags = own.size() == files ? own : std::vector(files, own.front());
    tell(key, data.*tags);
  };
  take_over("data.source_tag", &DataOptions::source_tag);
  take_over("data.target_tag", &DataOptions::target_tag);
}

}  // namespace

/// Those of the run of --start-from. What belongs to its corpora goes over to as many others, and
/// the tags that all of them share to any.
RunOptions TrainArguments::options_of_start() const {
  auto base = open_run(start_from, ModelKind::translation).options;
  const auto given = read_overrides(overrides, flags).places;
  expect_both_sides(given, start_from);
  const auto tell = [&](const char* key, const char* what, const std::string& file) {
    if (!given.contains(key) && !file.empty())
      log_info(concat(what, ": that of ", start_from.string(), ", ", file));
  };
  tell("data.valid_source", "validation text", base.data.valid_source);
  tell("data.train_source", "training text", joined(base.data.train_source));
  const bool has_others = given.contains("data.train_source");
  const auto before = base.data;
  if (has_others || !takes_over_corpora) {
    base.data.weights = {};
    base.data.source_tag = base.data.target_tag = {};
  }
  auto options = with_overrides(base, overrides, flags);
  if (has_others && takes_over_corpora)
    take_over_corpora(without_synthetic(before), given, start_from, options.data);
  else if (!takes_over_corpora && !before.weights.empty() && !given.contains("data.weights"))
    log_info("data.weights: left out, as those corpora are not read");
  return options;
}

}  // namespace dragoman::app
