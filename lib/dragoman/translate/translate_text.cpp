#include "dragoman/translate/translate_text.h"

#include "dragoman/core/error.h"
#include "dragoman/text/text_file.h"
#include "dragoman/translate/translation_log.h"
#include "dragoman/translate/translation_progress.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

std::string score_text(double score) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6f", score);
  return text;
}

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

std::string json_text(const Translation& translation, std::int64_t number) {
  nlohmann::json alternatives = nlohmann::json::array();
  for (const auto& one : translation.n_best)
    alternatives.push_back({{"text", one.text},
                            {"tokens", one.pieces},
                            {"score", one.score},
                            {"log_prob", one.log_prob},
                            {"alignment", alignment_json(one.alignment)}});
  const nlohmann::json record{{"line", number},
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
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Lines of the source that are translated together.
struct LineChunk {
  std::vector<Line> lines;  ///< without their texts
  std::vector<std::string> texts, prefixes;
  bool is_last = false;
};

LineChunk read_chunk(LineReader& source, TargetPrefixes& prefixes, std::int64_t batch_lines) {
  LineChunk chunk;
  while (std::ssize(chunk.lines) < batch_lines) {
    if (!chunk.lines.empty() && source.would_wait()) break;
    auto line = source.next();
    if (!line) {
      prefixes.expect_end();
      chunk.is_last = true;
      break;
    }
    if (prefixes.any()) chunk.prefixes.push_back(prefixes.take(line->text));
    chunk.texts.push_back(std::move(line->text));
    chunk.lines.push_back(std::move(*line));
  }
  return chunk;
}

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
    if (format.n_best || format.scores) text += " ||| " + score_text(one.score);
    if (format.alignment) text += " ||| " + alignment_text(one.alignment);
  }
  return text;
}

void translate_text(TextToTranslate text, const LineTranslator& translator, LineWriter& target) {
  auto source = open_text(text.source, LineUse::translation);
  TranslationLog log(source.place());
  TranslationProgress progress(text.source);
  std::int64_t done = 0;
  for (bool ended = false; !ended;) {
    const auto chunk = read_chunk(source, text.prefixes, text.batch_lines);
    ended = chunk.is_last;
    const auto translations = translator.translate(
        chunk.texts, {.prefixes = chunk.prefixes,
                      .first_line = done,
                      .progress = progress.of_lines(done, std::ssize(chunk.lines))});
    for (std::size_t i = 0; i < chunk.lines.size(); ++i) {
      log.tell(chunk.lines[i], translations[i]);
      target.write(format_translation(translations[i], done++, text.format));
    }
    target.flush();
  }
  target.finish();
  log.finish();
}

}  // namespace dragoman
