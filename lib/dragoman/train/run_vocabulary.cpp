#include "dragoman/train/run_vocabulary.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/version.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/train/same_run.h"

#include <nlohmann/json.hpp>

#include <string>
#include <system_error>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr const char* vocabulary_folder = "vocabulary";
constexpr const char* facts_file = "facts.json";  // written last

/// All that decides what is learned.
nlohmann::json origin_of(const RunOptions& options, const TextIdentity& text) {
  return {{"version", version},
          {"text", text.sha256},
          {"pairs", text.pairs},
          {"tokenizer", options.tokenizer},
          {"seed", options.seed},
          {"source_tag", options.data.source_tag},
          {"target_tag", options.data.target_tag}};
}

nlohmann::json checksums_of(const Vocabulary& vocabulary) {
  return {sha256_hex(vocabulary.source.bytes()), sha256_hex(vocabulary.target.bytes())};
}

/// None if there is none of this origin, or if it is damaged.
std::optional<Vocabulary> kept_vocabulary(const fs::path& folder, const nlohmann::json& origin) {
  if (!fs::exists(folder / facts_file)) return std::nullopt;
  try {
    const auto facts = nlohmann::json::parse(read_regular_file(folder / facts_file));
    if (facts.at("origin") != origin) return std::nullopt;
    auto vocabulary = load_vocabulary(folder);
    if (checksums_of(vocabulary) == facts.at("sha256")) return vocabulary;
  } catch (const std::exception& error) {
    log_debug(concat(folder.string(), ": not used: ", error.what()));
  }
  return std::nullopt;
}

void keep_vocabulary(const Vocabulary& vocabulary, const fs::path& folder,
                     const nlohmann::json& origin) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto write = [&](const char* file, const Tokenizer& tokenizer) {
    write_file_atomically(folder / file, tokenizer.bytes());
  };
  write(vocabulary.joint ? joint_file : source_file, vocabulary.source);
  if (!vocabulary.joint) write(target_file, vocabulary.target);
  const nlohmann::json facts{{"origin", origin}, {"sha256", checksums_of(vocabulary)}};
  write_file_atomically(folder / facts_file, facts.dump(1) + '\n');
}

/// \param text PairPasses or pairs
template <typename Text>
Vocabulary learn_from(const Text& text, const RunOptions& options) {
  return with_language_tags(
      learn_vocabulary(text, options.tokenizer, static_cast<std::uint64_t>(options.seed),
                       joined(options.data.train_source), joined(options.data.train_target)),
      options.data);
}

/// A model that is trained further keeps its vocabulary.
void expect_languages(const Vocabulary& vocabulary, const DataOptions& data) {
  for (const auto* side : {&vocabulary.source, &vocabulary.target}) {
    side->expect_language();
    if (side->languages().empty()) continue;
    for (const auto& [name, tags] :
         {std::pair{"data.source_tag", &data.source_tag}, {"data.target_tag", &data.target_tag}})
      if (!tags->empty())
        throw OptionsError(
            concat(name,
                   ": a model with a token for each language is trained further for the two "
                   "languages that it was converted for; leave the option out"));
  }
  for (std::size_t file = 0; file < data.train_source.size(); ++file)
    with_languages(vocabulary, languages_of_file(data, file),
                   {.source = "data.source_tag", .target = "data.target_tag"});
}

/// \throws OptionsError naming the options in which the model to be trained is not that of the
///     weights
void expect_same_model(const std::filesystem::path& checkpoint, const RunOptions& options) {
  if (const auto names = changed_model(checkpoint, options); !names.empty())
    throw OptionsError(concat("--start-from: ", checkpoint.string(),
                              ": its weights are of another ", joined(names),
                              "; leave the option out, or give --init-from instead, which "
                              "takes the weights that fit"));
}

}  // namespace

std::optional<Vocabulary> given_vocabulary(const TrainRequest& request) {
  if (!request.source_tokenizer) return std::nullopt;
  const auto source = Tokenizer::load(*request.source_tokenizer);
  const bool joint = !request.target_tokenizer;
  return with_language_tags({.source = source,
                             .target = joint ? source : Tokenizer::load(*request.target_tokenizer),
                             .joint = joint},
                            request.options.data);
}

std::optional<Vocabulary> known_vocabulary(const TrainRequest& request) {
  if (request.start_from) {
    auto vocabulary = load_vocabulary(request.start_from->checkpoint);
    expect_languages(vocabulary, request.options.data);
    if (!request.start_from->matching)
      expect_same_model(request.start_from->checkpoint, request.options);
    return vocabulary;
  }
  return given_vocabulary(request);
}

Vocabulary learn_run_vocabulary(const RunOptions& options) {
  const auto& files = options.data;
  const PairPasses passes = [&files](const auto& visit) {
    ParallelText text(files.train_source, files.train_target);
    while (const auto pair = text.next()) visit(*pair);
  };
  return learn_from(passes, options);
}

Vocabulary learn_run_vocabulary(const RunOptions& options, const std::vector<LinePair>& sample) {
  return learn_from(sample, options);
}

Vocabulary learned_vocabulary(const RunOptions& options, const TextIdentity& text,
                              const fs::path& data_dir) {
  const auto folder = data_dir / vocabulary_folder;
  const auto origin = origin_of(options, text);
  if (auto kept = kept_vocabulary(folder, origin)) {
    log_info(concat("using the vocabulary learned earlier from this text (", folder.string(), ")"));
    return *std::move(kept);
  }
  auto vocabulary = learn_run_vocabulary(options);
  try {
    keep_vocabulary(vocabulary, folder, origin);
  } catch (const std::exception& error) {
    log_warning(concat("the learned vocabulary could not be saved for reuse: ", error.what()));
  }
  return vocabulary;
}

bool holds_learned_vocabulary(const fs::path& data_dir) {
  std::error_code ignored;
  return fs::exists(data_dir / vocabulary_folder / facts_file, ignored);
}

}  // namespace dragoman
