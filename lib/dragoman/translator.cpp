#include "dragoman/translator.h"

#include "dragoman/config/device_name.h"
#include "dragoman/config/overrides.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/foreign_errors.h"
#include "dragoman/core/log.h"
#include "dragoman/core/stop.h"
#include "dragoman/run/attention_swap.h"
#include "dragoman/run/run_files.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace dragoman {

struct Translator::Parts {
  /// What scores pairs, made by the first call that needs it and shared by the Translators of the
  /// same models: float32 weights, and threads.
  struct Scoring {
    std::once_flag made;
    InferenceModels models = {};  ///< set before that if the search has float32 weights, too
    std::optional<PairScorer> scorer = {};
  };

  TranslatorOptions options;
  std::vector<RunFiles> stored;  ///< with their own options
  std::vector<RunFiles> runs;    ///< with the chosen ones
  InferenceModels models;        ///< with weights in the precision of the search
  std::shared_ptr<const Shortlist> shortlist;
  LineTranslator lines;
  std::shared_ptr<Scoring> scoring;

  /// \param loaded whose models are used if they are the same; may be null
  Parts(std::vector<RunFiles> opened, const TranslatorOptions& given, const Parts* loaded);

  std::shared_ptr<const Shortlist> shortlist_of(const Parts* loaded) const;
  LineTranslator line_translator(const Parts* loaded) const;
  std::shared_ptr<Scoring> scoring_of(const Parts* loaded) const;

  std::vector<PairScore> score(std::span<const LinePair> pairs, const std::stop_token& stop) const;

  /// \param of_caller set to what the caller's `progress` throws
  std::vector<Translation> translate(std::span<const std::string> lines,
                                     const LinesContext& context,
                                     std::exception_ptr& of_caller) const;
};

namespace {

/// A library is silent unless something is wrong; the host may choose more.
[[maybe_unused]] const bool is_silent = (set_log_level(LogLevel::warning), true);

/// Calls `work`; whatever it throws leaves as an Error.
template <typename Work>
auto with_own_errors(Work work) {
  try {
    return work();
  } catch (...) {
    rethrow_as_error();
  }
}

constexpr const char* device_place = "TranslatorOptions::device";

/// The runs with the options and languages that are chosen.
std::vector<RunFiles> chosen(std::vector<RunFiles> runs, const TranslatorOptions& options) {
  constexpr const char* place = "TranslatorOptions::set";
  expect_search_settings(options.set, place, /*also_model=*/true);
  for (auto& run : runs) {
    run.options = override_trained(run.options, options.set, AttentionSwap::equal, place);
    run.vocabulary = with_languages(
        run.vocabulary, {.source = options.source_language, .target = options.target_language});
  }
  return runs;
}

/// Whether runs that differ in their options alone have the same models in float32.
bool have_same_float32_models(std::span<const RunFiles> runs, std::span<const RunFiles> others) {
  const auto facts = [](const RunFiles& run) {
    return nlohmann::json{run.options.model, run.options.search.cache};
  };
  return std::ranges::equal(runs, others, {}, facts, facts);
}

/// The same, in the precision of the search.
bool have_same_models(std::span<const RunFiles> runs, std::span<const RunFiles> others) {
  const auto precision = [](const RunFiles& run) { return run.options.search.precision; };
  return have_same_float32_models(runs, others) &&
         std::ranges::equal(runs, others, {}, precision, precision);
}

std::optional<Utility> utility_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name == "chrf") return Utility::chrf;
  if (name == "bleu") return Utility::bleu;
  throw OptionsError(concat("TranslatorOptions::consensus: \"", printable(name, 80),
                            "\" is neither \"chrf\" nor \"bleu\"; write one of them"));
}

LineTranslatorOptions line_options(const RunFiles& run, const TranslatorOptions& options,
                                   std::shared_ptr<const Shortlist> shortlist) {
  const auto consensus = utility_named(options.consensus);
  if (consensus && run.options.search.n_best < 2)
    throw OptionsError(
        "TranslatorOptions::consensus: chooses among samples, and search.n_best is 1; set it to "
        "their number");
  return {.workers = options.workers,
          .max_source_length = run.options.data.max_length,
          .alignment = options.alignment,
          .seed = run.options.seed,
          .batch_tokens_given = set_option(options.set, "search.batch_tokens"),
          .consensus = consensus,
          .shortlist = std::move(shortlist)};
}

/// \param name of a line's place before its number: "source", "target prefix: line"
/// \param index from 0
std::string valid_line(const std::string& line, const char* name, std::int64_t index) {
  auto clean = clean_line(line);
  if (clean.had_bad_bytes)
    throw LineError(
        index, concat(name, ' ', index + 1, ": is not valid UTF-8; convert the text to UTF-8"));
  return std::move(clean.text);
}

void expect_pairs(const char* name, std::size_t count, std::size_t lines) {
  if (count == lines) return;
  throw DataError(
      concat("Translator: ", count, ' ', name, " for ", lines, " lines; give one for each line"));
}

/// `progress`, whose exception ends the call as if it was cancelled, and is kept.
auto guarded(const std::function<void(std::int64_t, std::int64_t)>& progress,
             std::exception_ptr& kept) {
  return [&](std::int64_t done, std::int64_t parts) {
    try {
      progress(done, parts);
    } catch (...) {
      kept = std::current_exception();
      throw Cancelled("the caller's progress failed");
    }
  };
}

void expect_name(const std::filesystem::path& folder) {
  if (folder.empty()) throw OptionsError("Translator::load: the folder has no name; give one");
  if (folder.native().find('\0') != std::string::npos)
    throw OptionsError(concat("Translator::load: the folder's name ",
                              printable(folder.native(), 80),
                              " has a zero byte; give one without"));
}

}  // namespace

Translator::Parts::Parts(std::vector<RunFiles> opened, const TranslatorOptions& given,
                         const Parts* loaded)
    : options(given),
      stored(std::move(opened)),
      runs(chosen(stored, given)),
      models(loaded != nullptr && have_same_models(runs, loaded->runs)
                 ? loaded->models
                 : inference_models(runs, runs.front().options.search, given.device, device_place)),
      shortlist(shortlist_of(loaded)),
      lines(line_translator(loaded)),
      scoring(scoring_of(loaded)) {}

std::shared_ptr<const Shortlist> Translator::Parts::shortlist_of(const Parts* loaded) const {
  if (options.shortlist.empty()) return nullptr;
  if (loaded != nullptr && loaded->options.shortlist == options.shortlist) return loaded->shortlist;
  return std::make_shared<const Shortlist>(
      load_shortlist(options.shortlist, runs.front().vocabulary));
}

LineTranslator Translator::Parts::line_translator(const Parts* loaded) const {
  const auto& run = runs.front();
  const auto how = line_options(run, options, shortlist);
  if (loaded != nullptr && models == loaded->models)
    return {loaded->lines, run.vocabulary, run.options.search, how};
  return {models, run.vocabulary, run.options.search, how};
}

std::shared_ptr<Translator::Parts::Scoring> Translator::Parts::scoring_of(
    const Parts* loaded) const {
  if (loaded != nullptr && options.workers == loaded->options.workers &&
      have_same_float32_models(runs, loaded->runs))
    return loaded->scoring;
  auto own = std::make_shared<Scoring>();
  if (runs.front().options.search.precision == SearchPrecision::float32) own->models = models;
  return own;
}

std::vector<Translation> Translator::Parts::translate(std::span<const std::string> given,
                                                      const LinesContext& context,
                                                      std::exception_ptr& of_caller) const {
  expect_no_stop(context.stop);
  std::vector<std::string> texts, prefixes;
  std::vector<bool> invalid;
  for (const auto& line : given) {
    expect_no_stop(context.stop);
    auto clean = clean_line(line);
    texts.push_back(std::move(clean.text));
    invalid.push_back(clean.had_bad_bytes);
  }
  if (context.first_line < 0 ||
      context.first_line > std::numeric_limits<std::int64_t>::max() - std::ssize(given))
    throw OptionsError(concat("Translator: first_line ", context.first_line,
                              " is not the number of a line; give one from 0"));
  if (!context.prefixes.empty()) expect_pairs("prefixes", context.prefixes.size(), given.size());
  for (const auto& prefix : context.prefixes)
    prefixes.push_back(
        valid_line(prefix, "target prefix: line", context.first_line + std::ssize(prefixes)));
  auto own = context;
  own.prefixes = prefixes;
  if (context.progress) own.progress = guarded(context.progress, of_caller);
  auto translations = lines.translate(texts, own);
  for (std::size_t i = 0; i < translations.size(); ++i) translations[i].invalid = invalid[i];
  return translations;
}

std::vector<PairScore> Translator::Parts::score(std::span<const LinePair> pairs,
                                                const std::stop_token& stop) const {
  std::call_once(scoring->made, [this] {
    auto search = runs.front().options.search;
    search.precision = SearchPrecision::float32;
    if (scoring->models.empty())
      scoring->models = inference_models(runs, search, options.device, device_place);
    scoring->scorer.emplace(scoring->models, runs.front().vocabulary,
                            PairScoringOptions{.workers = options.workers});
  });
  auto scores = PairScorer(*scoring->scorer, runs.front().vocabulary).score(pairs, stop);
  expect_no_fault(scores);
  return scores;
}

Translator::Translator(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Translator Translator::load(const std::filesystem::path& folder, const TranslatorOptions& options) {
  return load(std::span(&folder, 1), options);
}

Translator Translator::load(std::span<const std::filesystem::path> folders,
                            const TranslatorOptions& options) {
  return with_own_errors([&] {
    if (folders.empty()) throw OptionsError("Translator::load: no folder; give at least one");
    for (const auto& folder : folders) expect_name(folder);
    expect_inference_device_name(device_place, options.device);
    return Translator(
        std::make_shared<const Parts>(open_runs(folders, options.checkpoint), options, nullptr));
  });
}

Translator Translator::with(const TranslatorOptions& options) const {
  return with_own_errors([&] {
    const auto expect_same = [](const char* name, const std::string& given,
                                const std::string& loaded) {
      if (given != loaded)
        throw OptionsError(concat("Translator::with: ", name, " is \"", given, "\", but \"", loaded,
                                  "\" is loaded; load another Translator"));
    };
    expect_same("checkpoint", options.checkpoint, parts_->options.checkpoint);
    expect_same("device", options.device, parts_->options.device);
    return Translator(std::make_shared<const Parts>(parts_->stored, options, parts_.get()));
  });
}

TranslatorOptions Translator::options() const {
  return with_own_errors([&] { return parts_->options; });
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const LinesContext& context) const {
  const auto parts =
      parts_;  // lives until the end of the call, whatever the caller's progress does
  std::exception_ptr of_caller;
  try {
    return with_own_errors([&] { return parts->translate(lines, context, of_caller); });
  } catch (const Cancelled&) {
    if (of_caller) std::rethrow_exception(of_caller);
    throw;
  }
}

Translation Translator::translate(std::string_view line, const LinesContext& context) const {
  const auto text = with_own_errors([&] { return std::string(line); });
  return std::move(translate(std::span(&text, 1), context).front());
}

std::vector<PairScore> Translator::score(std::span<const std::string> sources,
                                         std::span<const std::string> targets,
                                         const std::stop_token& stop) const {
  const auto parts = parts_;  // as above, with the log's sink
  return with_own_errors([&] {
    expect_pairs("targets", targets.size(), sources.size());
    std::vector<LinePair> pairs;
    expect_no_stop(stop);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      expect_no_stop(stop);
      pairs.push_back({valid_line(sources[i], "source", std::ssize(pairs)),
                       valid_line(targets[i], "target", std::ssize(pairs))});
    }
    return parts->score(pairs, stop);
  });
}

std::vector<std::string> Translator::source_pieces(std::string_view line) const {
  return with_own_errors(
      [&] { return parts_->runs.front().vocabulary.source.pieces(clean_line(line).text); });
}

ModelInfo Translator::info() const {
  return with_own_errors([&] {
    const auto& run = parts_->runs.front();
    return ModelInfo{.checkpoint = run.checkpoint,
                     .step = run.step,
                     .max_source_pieces = parts_->lines.max_source_length(),
                     .source_languages = source_languages(run.vocabulary),
                     .target_languages = target_languages(run.vocabulary)};
  });
}

std::string Translator::description() const {
  return with_own_errors([&] { return parts_->lines.description(); });
}

const char* library_version() noexcept { return version; }

}  // namespace dragoman
