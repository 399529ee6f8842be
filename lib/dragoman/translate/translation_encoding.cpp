#include "dragoman/translate/translation_encoding.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/mix.h"
#include "dragoman/core/stop.h"
#include "dragoman/translate/source_line.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

LineInWork encode_line(const TranslationTask& task, std::int64_t number, std::string_view text) {
  const auto& tokenizer = task.vocabulary.source;
  auto source = encode_source(text, tokenizer, task.options.max_source_length, task.context.stop);
  LineInWork line;
  line.translation.split = source.split;
  line.translation.cut = source.cut;
  line.translation.unknown = source.unknown;
  const auto of_line =
      mix(static_cast<std::uint64_t>(task.options.seed), static_cast<std::uint64_t>(number));
  for (std::size_t i = 0; i < source.parts.size(); ++i) {
    tokenizer.end_source(source.parts[i]);
    line.parts.push_back({.source = std::move(source.parts[i]),
                          .text = std::move(source.texts[i]),
                          .cut = source.cuts[i],
                          .prefix = task.vocabulary.target.prefix(),
                          .stream = mix(of_line, i)});
  }
  return line;
}

/// The prefix of a line belongs to its first part.
void add_prefix(const TranslationTask& task, std::string_view text, LineInWork& line) {
  const auto& tokenizer = task.vocabulary.target;
  auto ids = tokenizer.encode(text);
  if (line.parts.empty()) {
    line.translation.prefix_unused = ids.size() > tokenizer.prefix().size();
    return;
  }
  line.translation.unknown_in_prefix = first_unknown(text, ids, tokenizer);
  line.parts.front().prefix = std::move(ids);
  line.parts.front().prefix_text = text;
}

void expect_usable_prefix(const TranslationTask& task, std::int64_t number,
                          const LineInWork& line) {
  if (line.parts.empty() || task.context.prefixes.empty()) return;
  const auto& part = line.parts.front();
  if (std::ranges::find(part.prefix, task.vocabulary.target.special().eos) != part.prefix.end())
    throw LineError(number, concat("target prefix: line ", number + 1,
                                   ": contains the piece that ends a translation; remove it"));
  const auto longest = task.max_target_length(part);
  if (std::ssize(part.prefix) < longest) return;
  const bool model_has_room = std::ranges::all_of(task.models, [&](const auto& model) {
    return longest < model->options().longest_sequence();
  });
  throw LineError(number, concat("target prefix: line ", number + 1, ": has ", part.prefix.size(),
                                 " pieces, but the translation may have at most ", longest,
                                 ", EOS included; shorten it",
                                 model_has_room ? " or raise search.max_length" : ""));
}

}  // namespace

std::vector<LineInWork> encode_lines(const TranslationTask& task,
                                     std::span<const std::string> lines) {
  std::vector<LineInWork> encoded(lines.size());
  const auto number_of = [&](std::size_t line) {
    return task.context.first_line + static_cast<std::int64_t>(line);
  };
  const auto encode_chunk = [&](std::size_t first, std::size_t last) {
    expect_no_stop(task.context.stop);
    for (auto i = first; i < last; ++i) {
      encoded[i] = encode_line(task, number_of(i), lines[i]);
      if (!task.context.prefixes.empty()) add_prefix(task, task.context.prefixes[i], encoded[i]);
    }
  };
  // A few lines are encoded here, so that they need not wait for workers that search others.
  constexpr std::size_t chunk = 64;
  if (lines.size() <= chunk)
    encode_chunk(0, lines.size());
  else
    task.workers.run_in_chunks(
        std::ssize(lines), static_cast<std::int64_t>(chunk),
        [&](const EnsembleWorker&, std::size_t first, std::size_t last) {
          encode_chunk(first, last);
        },
        task.context.stop);
  for (std::size_t i = 0; i < lines.size(); ++i)
    expect_usable_prefix(task, number_of(i), encoded[i]);
  return encoded;
}

}  // namespace dragoman
