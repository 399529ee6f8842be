#include "dragoman/translator.h"

#include "dragoman/config/device_name.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/foreign_errors.h"
#include "dragoman/core/log.h"
#include "dragoman/core/stop.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/lines.h"
#include "dragoman/translator_parts.h"

#include <exception>
#include <functional>
#include <limits>
#include <utility>

namespace dragoman {

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
