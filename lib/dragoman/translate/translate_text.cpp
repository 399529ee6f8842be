#include "dragoman/translate/translate_text.h"

#include "dragoman/core/chunks_in_work.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/text/text_file.h"
#include "dragoman/translate/translation_log.h"
#include "dragoman/translate/translation_progress.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

std::string alignment_text(const std::vector<AlignmentLink>& links) {
  std::string text;
  for (const auto& link : links)
    text += concat(text.empty() ? "" : " ", link.source, "-", link.target);
  return text;
}

nlohmann::json alignment_json(const std::vector<AlignmentLink>& links) {
  auto pairs = nlohmann::json::array();
  for (const auto& link : links) pairs.push_back({link.source, link.target});
  return pairs;
}

nlohmann::json alternative_json(const Alternative& one) {
  nlohmann::json record{{"text", one.text},
                        {"tokens", one.pieces},
                        {"score", one.score},
                        {"log_prob", one.log_prob},
                        {"truncated", one.truncated},
                        {"looping", one.looping},
                        {"alignment", alignment_json(one.alignment)}};
  if (one.reverse_log_prob) record["reverse_log_prob"] = *one.reverse_log_prob;
  if (one.lm_log_prob) record["lm_log_prob"] = *one.lm_log_prob;
  return record;
}

std::string json_text(const Translation& translation, std::int64_t number) {
  nlohmann::json alternatives = nlohmann::json::array();
  for (const auto& one : translation.n_best) alternatives.push_back(alternative_json(one));
  nlohmann::json record{{"line", number},
                        {"text", translation.text()},
                        {"score", translation.n_best.front().score},
                        {"tokens", translation.n_best.front().pieces},
                        {"n_best", alternatives},
                        {"source_tokens", translation.source_pieces},
                        {"alignment", alignment_json(translation.n_best.front().alignment)},
                        {"split", translation.split},
                        {"cut", translation.cut},
                        {"truncated", translation.truncated},
                        {"looping", translation.looping},
                        {"unknown_characters", translation.unknown.has_value()}};
  if (translation.utility) record["utility"] = *translation.utility;
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Lines of the source that are translated together.
struct LineChunk {
  std::vector<Line> lines = {};  ///< without their texts
  std::vector<std::string> texts = {}, prefixes = {};
  std::int64_t first_line = 0;
};

/// What became of a chunk: of all its lines, or of those before one that cannot be translated.
struct TranslatedChunk {
  std::vector<Translation> translations = {};
  std::exception_ptr failure = {};  ///< of the line after these
};

/// Reads, translates and writes a text, all at the same time (`ChunksInWork`).
class TextTranslation {
 public:
  TextTranslation(TextToTranslate text, const LineTranslator& translator, LineWriter& target)
      : text_(std::move(text)),
        translator_(translator),
        target_(target),
        source_(open_text(text_.source, LineUse::translation)),
        log_(source_.place(), TranslationLog::Detail::lines, translator.longest_translation()),
        progress_(text_.source) {}

  ~TextTranslation() { stop_.request_stop(); }
  TextTranslation(const TextTranslation&) = delete;
  TextTranslation& operator=(const TextTranslation&) = delete;

  void run() {
    for (;;) {
      while (!ended_ && in_work_.has_room() && (in_work_.empty() || !would_wait()))
        start(read_chunk());
      if (in_work_.empty() || !write_first()) break;
    }
    log_.finish();
    if (failure_) std::rethrow_exception(failure_);
    target_.finish();
  }

 private:
  /// Whether there is no more of the text, or of its prefixes, yet.
  bool would_wait() const { return source_.would_wait() || text_.prefixes.would_wait(); }

  /// At least one line, unless the text has ended; more only if they are there. A fault in the text
  /// is kept until the lines before it are written.
  LineChunk read_chunk() {
    LineChunk chunk{.first_line = lines_read_};
    std::size_t bytes = 0;
    try {
      while (std::ssize(chunk.lines) < text_.batch_lines && bytes < max_line_bytes) {
        if (!chunk.lines.empty() && would_wait()) break;
        auto line = source_.next();
        if (!line) {
          text_.prefixes.expect_end();
          ended_ = true;
          break;
        }
        bytes += line->text.size();
        if (text_.on_line) text_.on_line(*line);
        if (text_.prefixes.any()) chunk.prefixes.push_back(text_.prefixes.take(line->text));
        chunk.texts.push_back(std::move(line->text));
        chunk.lines.push_back(std::move(*line));
      }
    } catch (...) {
      failure_ = std::current_exception();
      ended_ = true;
    }
    lines_read_ += std::ssize(chunk.lines);
    return chunk;
  }

  void start(LineChunk chunk) {
    if (chunk.lines.empty()) return;
    in_work_.start(std::move(chunk), [this](const LineChunk& lines) -> TranslatedChunk {
      try {
        return {.translations = translate(lines, lines.texts.size())};
      } catch (const LineError& error) {
        const auto before = static_cast<std::size_t>(error.line() - lines.first_line);
        return {.translations = translate(lines, before), .failure = std::current_exception()};
      }
    });
  }

  /// The first `count` lines of a chunk.
  std::vector<Translation> translate(const LineChunk& chunk, std::size_t count) {
    const std::span prefixes(chunk.prefixes);
    const auto progress = progress_.of_lines(static_cast<std::int64_t>(count));
    auto translations =
        translator_.translate(std::span(chunk.texts).first(count),
                              {.prefixes = prefixes.first(std::min(count, prefixes.size())),
                               .first_line = chunk.first_line,
                               .progress = progress,
                               .stop = stop_.get_token()});
    if (progress) progress(1, 1);  // blank lines, too
    return translations;
  }

  /// \return whether the text goes on: no line of the chunk has failed
  bool write_first() {
    const auto [chunk, translated] = in_work_.take_first();
    const auto& [translations, failure] = translated;
    for (std::size_t i = 0; i < translations.size(); ++i) {
      log_.tell(chunk.lines[i], translations[i]);
      target_.write(format_translation(
          translations[i], chunk.first_line + static_cast<std::int64_t>(i), text_.format));
    }
    target_.flush();
    if (failure) failure_ = failure;
    return !failure;
  }

  TextToTranslate text_;
  const LineTranslator& translator_;
  LineWriter& target_;
  LineReader source_;
  TranslationLog log_;
  TranslationProgress progress_;
  std::int64_t lines_read_ = 0;
  bool ended_ = false;          // the source, or by a fault
  std::exception_ptr failure_;  // of a line that cannot be read or translated
  std::stop_source stop_;
  ChunksInWork<LineChunk, TranslatedChunk> in_work_;
};

}  // namespace

std::string format_translation(const Translation& translation, std::int64_t number,
                               const TranslationFormat& format) {
  if (format.json) return json_text(translation, number);
  std::string text;
  const auto count = format.n_best ? translation.n_best.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& one = translation.n_best[i];
    if (i > 0) text += '\n';
    if (format.n_best) text += concat(number, " ||| ");
    text += one.text;
    if (format.n_best || format.scores)
      text += " ||| " + decimal(translation.utility.value_or(one.score), 6);
    if (format.alignment) text += " ||| " + alignment_text(one.alignment);
  }
  return text;
}

void translate_text(TextToTranslate text, const LineTranslator& translator, LineWriter& target) {
  TextTranslation(std::move(text), translator, target).run();
}

}  // namespace dragoman
