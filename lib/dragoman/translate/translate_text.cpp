#include "dragoman/translate/translate_text.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
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
  for (const auto& link : links) text += concat(text.empty() ? "" : " ", link.source, "-", link.target);
  return text;
}

std::string json_text(const Translation& translation, std::int64_t number) {
  nlohmann::json alternatives = nlohmann::json::array();
  for (const auto& one : translation.n_best)
    alternatives.push_back({{"text", one.text}, {"tokens", one.pieces}, {"score", one.score},
                            {"log_prob", one.log_prob}});
  nlohmann::json links = nlohmann::json::array();
  for (const auto& link : translation.alignment) links.push_back({link.source, link.target});
  const nlohmann::json record{{"line", number},
                              {"text", translation.text()},
                              {"score", translation.n_best.front().score},
                              {"tokens", translation.n_best.front().pieces},
                              {"n_best", alternatives},
                              {"source_tokens", translation.source_pieces},
                              {"alignment", links},
                              {"split", translation.split},
                              {"cut", translation.cut},
                              {"truncated", translation.truncated},
                              {"looping", translation.looping}};
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What happened to a line that its reader should know.
void warn_of(const Line& line, const Translation& translation, const std::string& place) {
  const auto warn = [&](const char* fact) {
    log_warning(concat(place, ": line ", line.number, ": ", fact));
  };
  if (line.had_bad_bytes) warn("not UTF-8; bad bytes were read as U+FFFD");
  if (line.was_cut) warn("longer than 16 MiB; cut there");
  if (translation.split) warn("too long; translated sentence by sentence");
  if (translation.cut) warn("a sentence is too long; its end was left out (data.max_length)");
  if (translation.truncated) warn("the translation stopped at the length limit (--max-length)");
  if (translation.looping) warn("the translation repeats itself (--no-repeat-ngram 3 forbids it)");
}

/// Lines of the source that are translated together.
struct LineChunk {
  std::vector<Line> lines;
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
    chunk.texts.push_back(line->text);
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
    if (format.alignment && i == 0) text += " ||| " + alignment_text(translation.alignment);
  }
  return text;
}

void translate_text(LineReader& source, LineWriter& target, const Translator& translator,
                    std::int64_t batch_lines, const TranslationFormat& format,
                    TargetPrefixes prefixes) {
  const auto start = std::chrono::steady_clock::now();
  std::int64_t done = 0;
  for (bool ended = false; !ended;) {
    const auto chunk = read_chunk(source, prefixes, batch_lines);
    ended = chunk.is_last;
    const auto translations =
        translator.translate(chunk.texts, {.prefixes = chunk.prefixes, .first_line = done});
    for (std::size_t i = 0; i < chunk.lines.size(); ++i) {
      warn_of(chunk.lines[i], translations[i], source.place());
      target.write(format_translation(translations[i], done++, format));
    }
    target.flush();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    live_line(concat(done, " lines, ", static_cast<std::int64_t>(static_cast<double>(done) / passed.count()),
                     " lines/s"));
  }
  live_line("");
  target.finish();
}

}  // namespace dragoman
