#include "dragoman/run_page/text_breakdown.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/training_words.h"
#include "dragoman/metrics/frequency_breakdown.h"
#include "dragoman/metrics/length_breakdown.h"
#include "dragoman/report/page_table.h"
#include "dragoman/report/short_names.h"
#include "dragoman/report/svg_frame.h"
#include "dragoman/report/svg_plot.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

namespace dragoman {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using Names = std::vector<std::string>;

Names names_of_runs(std::span<const RunOnText> runs) {
  Names names;
  for (const auto& run : runs) names.push_back(run.name);
  return names;
}

/// One series for each run; a single one needs no name.
std::vector<PlotSeries> empty_series(const Names& runs) {
  std::vector<PlotSeries> all;
  for (const auto& name : runs.size() == 1 ? Names{""} : short_names(runs))
    all.push_back({.name = name, .x = {}, .y = {}});
  return all;
}

/// Columns that every run has, behind `common` ones.
PageTable table_of_runs(const Names& common, const Names& of_each, const Names& runs) {
  PageTable table{.headings = common};
  if (runs.size() > 1) table.groups.push_back({.heading = "", .columns = common.size()});
  for (const auto& name : runs) {
    table.headings.insert(table.headings.end(), of_each.begin(), of_each.end());
    if (runs.size() > 1) table.groups.push_back({.heading = name, .columns = of_each.size()});
  }
  return table;
}

std::string figure_of(const BarChart& chart) {
  return concat("<figure>", svg_bars(chart), "</figure>\n");
}

std::string percent(const std::optional<double>& share) {
  return share ? decimal(100.0 * *share, 1) : "";
}

/// What is known of the words of one run's text.
struct RunWords {
  std::vector<FrequencyClass> classes = {};  ///< none without a training text
  std::size_t lines = 0, all_lines = 0;      ///< of that, read and in all
};

/// BLEU's tokens of lines, as the run's tokenizer writes them: so are those of the training text.
std::vector<LineWords> words_of_lines(const std::vector<std::string>& lines,
                                      const Tokenizer& tokenizer, const Bleu& bleu) {
  std::vector<LineWords> words;
  for (const auto& line : lines)
    words.push_back(bleu.tokens(tokenizer.decode(tokenizer.encode(line))));
  return words;
}

RunWords words_of_run(const ReferencedText& text, const RunOnText& run, const Bleu& bleu) {
  const auto file = data_folder_of(run.files) / token_store_file;
  if (!std::filesystem::exists(file)) return {};
  const auto& tokenizer = run.files.vocabulary.target;
  const auto hypotheses = words_of_lines(run.texts, tokenizer, bleu);
  const auto references = words_of_lines(text.reference, tokenizer, bleu);
  WordSearch search{.wanted = {},
                    .split = [&bleu](const std::string& line) { return bleu.tokens(line); }};
  for (const auto* lines : {&hypotheses, &references})
    for (const auto& line : *lines)
      for (const auto& word : line) search.wanted.emplace(word, 0);
  const auto training = count_target_words(
      TokenStore(file, {std::numeric_limits<std::int64_t>::max(), tokenizer.vocab_size()}),
      tokenizer, std::move(search));
  return {.classes = words_by_frequency(hypotheses, references, training.counts),
          .lines = training.lines,
          .all_lines = training.all_lines};
}

FrequencyClass class_with(const std::vector<FrequencyClass>& classes, const CountRange& range) {
  const auto found = std::ranges::find(classes, range, &FrequencyClass::occurrences);
  return found == classes.end() ? FrequencyClass{.occurrences = range} : *found;
}

std::string training_text_note(const RunOnText& run, const RunWords& words) {
  if (words.all_lines == 0)
    return concat(
        "<p>", svg_escaped(run.name),
        ": its folder has no training text (data/train.tokens), like those of converted and "
        "averaged runs and of training with --data-cache; so nothing is known of its words' "
        "frequencies.</p>\n");
  if (words.lines == words.all_lines) return {};
  return concat("<p>", svg_escaped(run.name), ": counted in ",
                grouped(static_cast<std::int64_t>(words.lines)), " of the ",
                grouped(static_cast<std::int64_t>(words.all_lines)),
                " lines of its training text, evenly spread.</p>\n");
}

/// A row for each class that any run has.
std::string table_of_words(const Names& names, const std::vector<RunWords>& words) {
  std::map<std::int64_t, CountRange> ranges;  // by their starts
  for (const auto& of_run : words)
    for (const auto& one : of_run.classes) ranges.emplace(one.occurrences.from, one.occurrences);
  auto table = table_of_runs({"times in the training text"},
                             {"words of the reference", "recall, %", "precision, %"}, names);
  BarChart chart{.title = "Recall by frequency in the training text",
                 .y_label = "% of the words",
                 .categories = {},
                 .series = empty_series(names)};
  for (const auto& [from, range] : ranges) {
    std::vector<std::string> row{range.text()};
    chart.categories.push_back(range.text());
    for (std::size_t r = 0; r < words.size(); ++r) {
      const auto here = class_with(words[r].classes, range);
      row.insert(row.end(), {grouped(here.reference_words), percent(here.recall()),
                             percent(here.precision())});
      chart.series[r].y.push_back(here.recall() ? 100.0 * *here.recall() : not_a_number);
    }
    table.rows.push_back(std::move(row));
  }
  return concat(
      figure_of(chart), table.html(),
      "<p class=\"faint\">Recall: the share of the reference's words that the translation of "
      "the line has, too, each as often as the reference has it. Precision: the same "
      "share of the translations' words. Words are BLEU's tokens; upper and lower case are "
      "distinguished.</p>\n");
}

}  // namespace

std::string length_breakdown(const ReferencedText& text, std::span<const RunOnText> runs) {
  const auto names = names_of_runs(runs);
  auto table =
      table_of_runs({"words of the source", "lines"}, {"BLEU", "chrF2", "length ratio"}, names);
  BarChart chart{.title = "BLEU by words of the source",
                 .y_label = "BLEU",
                 .categories = {},
                 .series = empty_series(names)};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto classes = scores_by_length(text.source, runs[r].texts, text.reference,
                                          page_scoring(runs.front()).bleu);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto& one = classes[c];
      if (r == 0) {
        table.rows.push_back({one.words.text(), grouped(one.lines)});
        chart.categories.push_back(one.words.text());
      }
      table.rows[c].insert(table.rows[c].end(), {decimal(one.bleu, 2), decimal(one.chrf, 2),
                                                 decimal(one.length_ratio, 3)});
      chart.series[r].y.push_back(one.bleu);
    }
  }
  return concat(figure_of(chart), table.html(),
                "<p class=\"faint\">Words are BLEU's tokens; the length ratio is words of the "
                "translations by words of the references. Scores of few lines vary much.</p>\n");
}

std::string frequency_breakdown(const ReferencedText& text, std::span<const RunOnText> runs) {
  const Bleu bleu(page_scoring(runs.front()).bleu);
  Names names;
  std::vector<RunWords> words;
  std::string notes;
  for (const auto& run : runs) {
    auto found = words_of_run(text, run, bleu);
    notes += training_text_note(run, found);
    if (found.all_lines == 0) continue;
    names.push_back(run.name);
    words.push_back(std::move(found));
  }
  return concat(notes, names.empty() ? "" : table_of_words(names, words));
}

}  // namespace dragoman
