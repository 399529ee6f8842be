#include "dragoman/translator.h"

#include "dragoman/config/device_name.h"
#include "dragoman/config/overrides.h"
#include "dragoman/core/foreign_errors.h"
#include "dragoman/run/run_files.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"

#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace dragoman {

struct Translator::Parts {
  std::vector<RunFiles> runs;
  InferenceModels models;  ///< with weights in the precision of the search
  LineTranslator lines;
  std::int64_t workers;
  std::string device;
  mutable std::once_flag scored;
  mutable InferenceModels float32_models;    ///< from the first score on
  mutable std::optional<PairScorer> scorer;  ///< with these, and threads of its own

  Parts(std::vector<RunFiles> opened, InferenceModels made, LineTranslator translator,
        const TranslatorOptions& options)
      : runs(std::move(opened)),
        models(std::move(made)),
        lines(std::move(translator)),
        workers(options.workers),
        device(options.device) {}

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

LineTranslator line_translator(const InferenceModels& models, const RunFiles& run,
                               const TranslatorOptions& options) {
  LineTranslatorOptions how{.workers = options.workers,
                            .max_source_length = run.options.data.max_length,
                            .alignment = options.alignment,
                            .seed = run.options.seed,
                            .batch_tokens_given = set_option(options.set, "search.batch_tokens")};
  if (!options.shortlist.empty())
    how.shortlist =
        std::make_shared<const Shortlist>(load_shortlist(options.shortlist, run.vocabulary));
  return {models, run.vocabulary, run.options.search, how};
}

/// \param side "source", "target" or "prefix"
/// \param index from 0
std::string valid_line(const std::string& line, const char* side, std::size_t index) {
  auto clean = clean_line(line);
  if (clean.had_bad_bytes)
    throw DataError(
        concat(side, " ", index + 1, ": is not valid UTF-8; convert the text to UTF-8"));
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

}  // namespace

std::vector<Translation> Translator::Parts::translate(std::span<const std::string> given,
                                                      const LinesContext& context,
                                                      std::exception_ptr& of_caller) const {
  std::vector<std::string> texts, prefixes;
  std::vector<bool> invalid;
  for (const auto& line : given) {
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
    prefixes.push_back(valid_line(prefix, "prefix", prefixes.size()));
  auto own = context;
  own.prefixes = prefixes;
  if (context.progress) own.progress = guarded(context.progress, of_caller);
  auto translations = lines.translate(texts, own);
  for (std::size_t i = 0; i < translations.size(); ++i) translations[i].invalid = invalid[i];
  return translations;
}

std::vector<PairScore> Translator::Parts::score(std::span<const LinePair> pairs,
                                                const std::stop_token& stop) const {
  std::call_once(scored, [this] {
    auto search = runs.front().options.search;
    const bool has_float32 = search.precision == SearchPrecision::float32;
    search.precision = SearchPrecision::float32;
    float32_models = has_float32 ? models : inference_models(runs, search, device);
    scorer.emplace(float32_models, runs.front().vocabulary, PairScoringOptions{.workers = workers});
  });
  auto scores = scorer->score(pairs, stop);
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
    for (const auto& folder : folders)
      if (folder.empty()) throw OptionsError("Translator::load: the folder has no name; give one");
    expect_search_keys(options.set, "TranslatorOptions::set", /*also_model=*/true);
    auto runs = open_runs(folders, options.checkpoint, options.set);
    for (auto& run : runs)
      run.vocabulary = with_languages(
          run.vocabulary, {.source = options.source_language, .target = options.target_language});
    expect_inference_device_name("device", options.device);
    const auto models = inference_models(runs, runs.front().options.search, options.device);
    return Translator(std::make_shared<const Parts>(
        runs, models, line_translator(models, runs.front(), options), options));
  });
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const LinesContext& context) const {
  std::exception_ptr of_caller;
  try {
    return with_own_errors([&] { return parts_->translate(lines, context, of_caller); });
  } catch (const Cancelled&) {
    if (of_caller) std::rethrow_exception(of_caller);
    throw;
  }
}

Translation Translator::translate(std::string_view line) const {
  const std::string text(line);
  return std::move(translate(std::span(&text, 1)).front());
}

std::vector<PairScore> Translator::score(std::span<const std::string> sources,
                                         std::span<const std::string> targets,
                                         const std::stop_token& stop) const {
  return with_own_errors([&] {
    expect_pairs("targets", targets.size(), sources.size());
    std::vector<LinePair> pairs;
    for (std::size_t i = 0; i < sources.size(); ++i)
      pairs.push_back({valid_line(sources[i], "source", i), valid_line(targets[i], "target", i)});
    return parts_->score(pairs, stop);
  });
}

std::string Translator::description() const { return parts_->lines.description(); }

const char* library_version() noexcept { return version; }

}  // namespace dragoman
