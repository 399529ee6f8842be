#include "dragoman/run_page/text_scores.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/page_table.h"
#include "dragoman/report/svg_frame.h"

#include <functional>
#include <optional>

namespace dragoman {

namespace {

constexpr int score_digits = 2;

std::string search_text(const SearchOptions& search) {
  const auto precision = option_text(search.precision);
  if (search.sample) return concat("sampled, ", precision);
  if (search.greedy) return concat("greedy, ", precision);
  return concat("beam of ", search.beam_size, ", length penalty ", search.length_penalty, ", ",
                precision);
}

/// What is told of the likelihood, and in how many digits.
struct LikelihoodRow {
  const char* name;
  std::function<std::optional<double>(const Likelihood&)> value;
  int digits;
  const char* unit = "";
};

/// Why the likelihoods of two runs cannot be compared; empty if they can, or if there is one run.
std::string incomparable_likelihood(std::span<const RunOnText> runs) {
  const auto &first = runs.front(), &last = runs.back();
  if (first.files.vocabulary.target.bytes() != last.files.vocabulary.target.bytes())
    return "are per piece, and the runs have different pieces";
  if (first.likelihood.pieces() != last.likelihood.pieces())
    return concat("are of the pairs that a model can read, and the runs read different ones (",
                  grouped(first.likelihood.pieces()), " and ", grouped(last.likelihood.pieces()),
                  " pieces)");
  return {};
}

void add_likelihood(PageTable& table, std::span<const RunOnText> runs) {
  const std::vector<LikelihoodRow> rows = {
      {"nll, nats per piece", [](const Likelihood& of) { return of.nll(); }, 4},
      {"perplexity", [](const Likelihood& of) { return of.perplexity(); }, 2},
      {"token accuracy",
       [](const Likelihood& of) -> std::optional<double> {
         if (const auto share = of.accuracy()) return 100.0 * *share;
         return std::nullopt;
       },
       1, " %"}};
  for (const auto& row : rows) {
    std::vector<std::string> cells{row.name};
    std::vector<double> values;
    for (const auto& run : runs) {
      const auto value = row.value(run.likelihood);
      cells.push_back(value ? decimal(*value, row.digits) + row.unit : "");
      if (value) values.push_back(*value);
    }
    if (runs.size() == 2) {
      cells.push_back(values.size() == 2 && incomparable_likelihood(runs).empty()
                          ? signed_decimal(values[1] - values[0], row.digits)
                          : "");
      cells.emplace_back();
    }
    table.add(std::move(cells));
  }
}

/// \param same whether both systems are line by line the same, of which no test says anything
void add_metric(PageTable& table, const MetricResult& result, bool same) {
  const auto& report = result.report;
  const auto own = score_text(report.score, report.interval, score_digits);
  if (!result.against) return table.add({report.name, own});
  const auto& first = *result.against;
  table.add({report.name, score_text(first.score, first.interval, score_digits), own,
             signed_decimal(report.score - first.score, score_digits),
             same ? "" : decimal(first.p_value, 4)});
}

/// Which differences are beyond chance, as sentences.
std::string verdict(const std::vector<MetricResult>& results, std::span<const RunOnText> runs) {
  std::vector<std::string> better[2], chance;
  for (const auto& result : results) {
    const bool lower_is_better = result.metric == "ter";
    const bool second = (result.report.score > result.against->score) != lower_is_better;
    auto& where = result.is_significant() ? better[second ? 1 : 0] : chance;
    where.push_back(result.report.name);
  }
  std::string text;
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}})
    if (!better[i].empty())
      text += concat("<b>", svg_escaped(runs[i].name), "</b> is significantly better than ",
                     svg_escaped(runs[1 - i].name), " in ", joined(better[i], ", ", " and "), ". ");
  if (!chance.empty())
    text += concat("No significant difference in ", joined(chance, ", ", " and "), ". ");
  return concat("<p>", text, "</p>\n<p class=\"faint\">Significant: p below ", significance_level,
                ", by paired bootstrap resampling of the lines, and at least ", least_lines_of_test,
                " lines. This says nothing about other training seeds.</p>\n");
}

std::string likelihood_note(std::span<const RunOnText> runs) {
  const auto why = incomparable_likelihood(runs);
  if (why.empty()) return {};
  return concat("<p class=\"faint\">Nll, perplexity and token accuracy ", why,
                ": these rows cannot be compared.</p>\n");
}

std::string signatures(const std::vector<MetricResult>& results) {
  std::string text;
  for (const auto& result : results)
    text += concat(text.empty() ? "" : "<br>\n", svg_escaped(result.report.name), "|",
                   svg_escaped(result.report.signature));
  return concat("<p class=\"faint\">In brackets: mean and half width of the 95 % interval of ",
                grouped(ResamplingOptions().samples), " bootstrap samples.<br>", text, "</p>\n");
}

}  // namespace

std::string text_scores(const ReferencedText& text, std::span<const RunOnText> runs) {
  PageTable table{.headings = {""}};
  for (const auto& run : runs) table.headings.push_back(runs.size() == 1 ? "" : run.name);
  if (runs.size() == 2) table.headings.insert(table.headings.end(), {"difference", "p"});
  std::vector<std::string> checkpoints{"checkpoint"}, searches{"search"};
  for (const auto& run : runs) {
    checkpoints.push_back(concat("update ", grouped(run.files.step)));
    searches.push_back(search_text(run.files.options.search));
  }
  for (auto* row : {&checkpoints, &searches}) {
    row->resize(table.headings.size());
    table.add(*row);
  }
  std::optional<std::vector<std::string>> baseline;
  if (runs.size() == 2) baseline = runs.front().texts;
  const auto results = score_corpus(runs.back().texts, complete_streams({text.reference}),
                                    page_scoring(runs.front()), baseline);
  const bool same = baseline == runs.back().texts;
  for (const auto& result : results) add_metric(table, result, same);
  add_likelihood(table, runs);
  const auto judged = same               ? "<p>Both give the same translations.</p>\n"
                      : runs.size() == 2 ? verdict(results, runs)
                                         : std::string();
  return concat(table.html(), judged, likelihood_note(runs), signatures(results));
}

}  // namespace dragoman
