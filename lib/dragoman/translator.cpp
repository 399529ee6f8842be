#include "dragoman/translator.h"

#include "dragoman/tensor/foreign_errors.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/runs.h"
#include "dragoman/translate/scorer.h"

#include <utility>

namespace dragoman {

struct Translator::Parts {
  std::vector<LoadedRun> runs;
  LineTranslator lines;
  std::int64_t workers;
};

namespace {

/// Calls `work`; whatever it throws leaves as an Error.
template <typename Work>
auto with_own_errors(Work work) {
  try {
    return work();
  } catch (...) {
    rethrow_as_error();
  }
}

LineTranslator line_translator(std::span<const LoadedRun> runs, const TranslatorOptions& options) {
  const auto& run = runs.front();
  return {models_of(runs), run.vocabulary, run.options.search,
          LineTranslatorOptions{.workers = options.workers,
                                .max_source_length = run.options.data.max_length,
                                .alignment = options.alignment,
                                .pack = true,
                                .seed = run.options.seed}};
}

/// \param side "source" or "target"
std::string valid_line(const std::string& line, const char* side, std::size_t index) {
  auto clean = clean_line(line);
  if (clean.had_bad_bytes)
    throw DataError(concat(side, " ", index, ": is not valid UTF-8; convert the text to UTF-8"));
  return std::move(clean.text);
}

}  // namespace

Translator::Translator(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Translator Translator::load(const std::filesystem::path& folder, const TranslatorOptions& options) {
  return load(std::span(&folder, 1), options);
}

Translator Translator::load(std::span<const std::filesystem::path> folders,
                            const TranslatorOptions& options) {
  return with_own_errors([&] {
    if (folders.empty()) throw OptionsError("Translator::load: no folder; give at least one");
    auto runs = load_runs(folders, options.checkpoint, options.set);
    auto lines = line_translator(runs, options);
    return Translator(
        std::make_shared<const Parts>(std::move(runs), std::move(lines), options.workers));
  });
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const LinesContext& context) const {
  return with_own_errors([&] {
    std::vector<Line> clean;
    std::vector<std::string> texts;
    for (const auto& line : lines) {
      clean.push_back(clean_line(line));
      texts.push_back(clean.back().text);
    }
    auto translations = parts_->lines.translate(texts, context);
    for (std::size_t i = 0; i < clean.size(); ++i) translations[i].invalid = clean[i].had_bad_bytes;
    return translations;
  });
}

Translation Translator::translate(std::string_view line) const {
  const std::string text(line);
  return std::move(translate(std::span(&text, 1)).front());
}

std::vector<PairScore> Translator::score(std::span<const std::string> sources,
                                         std::span<const std::string> targets,
                                         const std::stop_token& stop) const {
  return with_own_errors([&] {
    if (sources.size() != targets.size())
      throw DataError(concat("Translator::score: ", sources.size(), " sources and ", targets.size(),
                             " targets; give one target for each source"));
    std::vector<LinePair> pairs;
    for (std::size_t i = 0; i < sources.size(); ++i)
      pairs.push_back({valid_line(sources[i], "source", i), valid_line(targets[i], "target", i)});
    return score_pairs(parts_->runs, pairs, {.workers = parts_->workers, .stop = stop});
  });
}

std::string Translator::description() const { return parts_->lines.description(); }

}  // namespace dragoman
