#include "dragoman/run_page/text_examples.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/page_table.h"
#include "dragoman/report/svg_frame.h"
#include "dragoman/report/svg_heat_map.h"
#include "dragoman/translate/written_pieces.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

/// Lines whose pieces can be shown for all runs.
std::vector<std::size_t> lines_in_one_piece(std::span<const RunOnText> runs) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < runs.front().translations.size(); ++i)
    if (std::ranges::all_of(runs, [i](const RunOnText& run) {
          const auto& made = run.translations[i];
          return !made.source_pieces.empty() && !made.split && !made.cut;
        }))
      lines.push_back(i);
  return lines;
}

std::string rank_text(std::size_t rank, std::size_t all) {
  if (all == 1) return "the only one";
  if (rank == 0) return "the worst";
  if (rank == all - 1) return "the best";
  if (rank == (all - 1) / 2) return "the median";
  return concat("rank ", rank + 1, " of ", all, " from the worst");
}

/// The pieces, each over its probability in per cent.
std::string shaded_pieces(const WrittenPieces& written) {
  std::string html = "<p class=\"pieces\" dir=\"auto\">";
  for (std::size_t i = 0; i < written.pieces.size(); ++i) {
    const double probability = std::clamp(written.probabilities[i], 0.0, 1.0);
    html +=
        concat("<span style=\"--doubt:", decimal(1.0 - probability, 2), "\" title=\"probability ",
               decimal(probability, 3), "\">", svg_escaped(written.pieces[i]), "<small>",
               std::lround(100.0 * probability), "</small></span> ");
  }
  return html + "</p>\n";
}

std::string attention_figure(const WrittenPieces& written) {
  return concat("<figure>",
                svg_heat_map({.title = "Attention of each piece of the translation to the source",
                              .rows = written.pieces,
                              .columns = written.source,
                              .values = {written.attention.begin(), written.attention.end()}}),
                "</figure>\n");
}

std::string example_of_run(const ReferencedText& text, const RunOnText& run, std::size_t line,
                           double score) {
  const auto written = written_pieces(*run.models.front(), run.files.vocabulary, text.source[line],
                                      run.translations[line]);
  return concat("<p><b>", svg_escaped(run.name), "</b> ", text_element(run.texts[line]),
                " <span class=\"faint\">chrF2 ", decimal(score, 2), "</span></p>\n",
                shaded_pieces(written), attention_figure(written));
}

}  // namespace

std::vector<RankedLine> evenly_ranked(std::span<const double> scores,
                                      std::vector<std::size_t> lines, std::size_t count) {
  std::ranges::stable_sort(lines, {}, [scores](std::size_t i) { return scores[i]; });
  count = std::min(count, lines.size());
  std::vector<RankedLine> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const auto rank = count == 1 ? (lines.size() - 1) / 2 : i * (lines.size() - 1) / (count - 1);
    chosen.push_back({.line = lines[rank], .rank = rank});
  }
  return chosen;
}

std::string text_examples(const ReferencedText& text, std::span<const RunOnText> runs,
                          std::size_t count) {
  std::vector<std::vector<double>> scores;
  std::vector<double> means(text.source.size(), 0.0);
  for (const auto& run : runs) {
    scores.push_back(
        score_sentences(run.texts, complete_streams({text.reference}), {.metrics = {"chrf"}})
            .front()
            .scores);
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += scores.back()[i] / static_cast<double>(runs.size());
  }
  const auto lines = lines_in_one_piece(runs);
  const auto chosen = evenly_ranked(means, lines, count);
  if (chosen.empty()) return {};
  std::string html = concat(
      "<p class=\"faint\">Of ", counted(std::ssize(lines), "line"),
      " translated in one piece, evenly spread from the worst to the best by ",
      runs.size() == 1 ? "the sentence's chrF2" : "the mean of both runs' chrF2 of the sentence",
      ". The number under a piece is its probability in per cent, given the source and the pieces "
      "before it; "
      "doubtful ones are shaded. The picture is the attention of each written piece (a row) to "
      "the pieces of the source, the mean of the last decoder layer's heads, in per cent.</p>\n");
  for (const auto& [line, rank] : chosen) {
    html += concat(
        "<div class=\"sentence\">\n<h4>Line ", grouped(static_cast<std::int64_t>(line) + 1), ": ",
        rank_text(rank, lines.size()), "</h4>\n<p><b>source</b> ", text_element(text.source[line]),
        "</p>\n<p><b>reference</b> ", text_element(text.reference[line]), "</p>\n");
    for (std::size_t r = 0; r < runs.size(); ++r)
      html += example_of_run(text, runs[r], line, scores[r][line]);
    html += "</div>\n";
  }
  return html;
}

}  // namespace dragoman
