#include "dragoman/run_page/run_page.h"

#include "dragoman/config/option_text.h"
#include "dragoman/config/option_tree.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/page_style.h"
#include "dragoman/report/page_table.h"
#include "dragoman/report/svg_frame.h"
#include "dragoman/run_page/run_figures.h"
#include "dragoman/run_page/validation_samples.h"
#include "dragoman/train/training_state.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

using Json = nlohmann::json;

constexpr const char* run_page_style = R"css(
body { max-width: 76rem; }
th, td { padding: 0.25rem 1.4rem 0.25rem 0; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
.sentence th:first-child { white-space: nowrap; overflow-wrap: normal; }
.figures.compared { grid-template-columns: minmax(0, 1fr); }
.sentence { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
  padding: 0.6rem 1rem; margin: 1rem 0; }
.sentence p { margin: 0.2rem 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  tr { border-bottom: 1px solid var(--line); padding: 0.4rem 0; }
  td, tbody th { padding: 0; }
  tbody th { font-weight: 600; }
  td:not(:first-child)[data-label]::before { content: attr(data-label) ": "; color: var(--faint); }
  .sentence tbody th { font-weight: 400; color: var(--faint); }
  .sentence tbody th::before { content: attr(data-label) " "; }
  .sentence td:not(:first-child)[data-label]::before { content: none; }
}
)css";

/// The records have scores and a few sample translations: too little for a test of significance.
constexpr const char* unknown_difference =
    "<p class=\"faint\">Significance cannot be computed from the "
    "records of two training runs, which have only a few translations. Translate a test set "
    "with both: "
    "<code>dragoman evaluate --hypothesis FILE --against OTHER</code> tests it.</p>\n";
constexpr const char* incomparable =
    "<p class=\"faint\">No difference is shown where the runs may measure differently: on other "
    "lines, with another tokenizer of BLEU or, of what is measured per piece, with other pieces, "
    "another label smoothing or another data.max_length.</p>\n";
constexpr const char* tested_below =
    "<p class=\"faint\">The significance of differences is tested below, where both runs translate "
    "a text.</p>\n";

std::string section_of(const char* title, const std::string& content) {
  return content.empty() ? content : concat("<h2>", title, "</h2>\n", content);
}

/// The headings of a table with a column for each run.
std::vector<std::string> run_headings(std::span<const RunHistory> runs) {
  std::vector<std::string> headings{""};
  for (const auto& run : runs) headings.push_back(runs.size() == 1 ? "" : run.name);
  return headings;
}

template <typename Tell>
void add_row(PageTable& table, std::span<const RunHistory> runs, const char* name,
             const Tell& tell) {
  std::vector<std::string> row{name};
  for (const auto& run : runs) row.push_back(tell(run));
  table.add(std::move(row));
}

/// A whole number of a record; empty if it has none.
std::string count_in(const Json& record, const char* key) {
  const auto value = record.find(key);
  return value != record.end() && value->is_number() ? grouped(value->get<std::int64_t>())
                                                     : std::string();
}

std::string seconds_of_run(const RunHistory& run) {
  const auto& last = !run.end.is_null() || run.train.empty() ? run.end : run.train.back();
  const auto value = last.is_object() ? last.find("seconds") : last.end();
  return value != last.end() && value->is_number() ? duration_text(value->get<double>())
                                                   : std::string();
}

/// The newest record: the end's, else that of the last window.
const Json& newest(const RunHistory& run) {
  static const Json none = Json::object();
  if (run.end.is_object()) return run.end;
  return run.train.empty() ? none : run.train.back();
}

std::string facts(std::span<const RunHistory> runs) {
  PageTable table{.headings = run_headings(runs)};
  const auto from_start = [](const char* key) {
    return [key](const RunHistory& run) { return count_in(run.start, key); };
  };
  add_row(table, runs, "parameters", from_start("parameters"));
  add_row(table, runs, "training text", [](const RunHistory& run) {
    const auto count = count_in(run.start, "examples");
    return count.empty() ? count : concat(count, ' ', text_in(run.start, "unit"));
  });
  add_row(table, runs, "updates per epoch", from_start("updates_per_epoch"));
  add_row(table, runs, "updates",
          [](const RunHistory& run) { return count_in(newest(run), "step"); });
  add_row(table, runs, "epochs begun", [](const RunHistory& run) {
    return run.train.empty() ? std::string() : count_in(run.train.back(), "epoch");
  });
  add_row(table, runs, "target tokens read",
          [](const RunHistory& run) { return count_in(newest(run), "target_tokens"); });
  add_row(table, runs, "time", seconds_of_run);
  add_row(table, runs, "device", [](const RunHistory& run) {
    const auto full = run.end.is_object() ? text_in(run.end, "device") : std::string();
    return full.empty() ? text_in(run.start, "device") : full;
  });
  add_row(table, runs, "workers", from_start("workers"));
  add_row(table, runs, "seed", from_start("seed"));
  add_row(table, runs, "ended", [](const RunHistory& run) {
    if (run.end.is_object()) return text_in(run.end, "reason");
    return std::string(run.start.is_object() ? "not yet" : "");
  });
  return table.html();
}

struct BestValue {
  double value;
  std::int64_t step;
};

std::optional<BestValue> best_of_run(const RunHistory& run, ValidationMetric metric) {
  const auto key = option_text(metric);
  std::optional<BestValue> best;
  for (const auto& record : run.validations) {
    const auto value = record.find(key);
    if (value == record.end() || !value->is_number()) continue;
    const double number = value->get<double>();
    if (!best || is_better(metric, number, best->value))
      best = {number, record.at("step").get<std::int64_t>()};
  }
  return best;
}

bool have_same_pieces(const RunHistory& one, const RunHistory& other) {
  return one.pieces.empty() || other.pieces.empty() || one.pieces == other.pieces;
}

/// Whether two runs measured the same: on the same lines by the same rules and, unless it is of
/// translations, in the same pieces, as far as the run tells.
bool have_same_measure(const RunHistory& one, const RunHistory& other, ValidationMetric metric) {
  const auto &a = one.options, &b = other.options;
  const auto &x = a.data, &y = b.data;
  if (std::tie(x.valid_source, x.valid_target) != std::tie(y.valid_source, y.valid_target))
    return false;
  if (metric == ValidationMetric::bleu && a.train.bleu_tokenizer != b.train.bleu_tokenizer)
    return false;
  if (metric == ValidationMetric::bleu || metric == ValidationMetric::chrf)
    return a.train.validate_sentences == b.train.validate_sentences;
  if (metric == ValidationMetric::loss &&
      std::tie(a.train.label_smoothing, a.train.label_smoothing_kind) !=
          std::tie(b.train.label_smoothing, b.train.label_smoothing_kind))
    return false;
  return x.max_length == y.max_length && have_same_pieces(one, other) &&
         Json(a.tokenizer) == Json(b.tokenizer) &&
         std::tie(x.train_source, x.train_target) == std::tie(y.train_source, y.train_target);
}

std::string best_validations(std::span<const RunHistory> runs, const char* note) {
  PageTable table{.headings = run_headings(runs)};
  if (runs.size() == 2) table.headings.push_back("difference");
  bool is_complete = true;
  for (const auto metric : validation_metrics) {
    std::vector<std::string> row{option_text(metric)};
    std::vector<double> values;
    for (const auto& run : runs) {
      const auto best = best_of_run(run, metric);
      row.push_back(best ? concat(decimal(best->value, 3), " at step ", grouped(best->step))
                         : std::string());
      if (best) values.push_back(best->value);
    }
    if (runs.size() == 2) {
      const bool same = have_same_measure(runs[0], runs[1], metric);
      const bool both = values.size() == 2;
      row.push_back(both && same ? signed_decimal(values[1] - values[0], 3) : "");
      is_complete &= same || !both;
    }
    table.add(std::move(row));
  }
  if (runs.size() != 2 || table.rows.empty()) return table.html();
  return table.html() + (is_complete ? "" : incomparable) + note;
}

std::string figures(std::span<const RunHistory> runs) {
  std::string html;
  for (const auto& svg : run_figures(runs)) html += concat("<figure>", svg, "</figure>\n");
  return html.empty() ? html
                      : concat("<div class=\"figures", runs.size() == 1 ? "" : " compared", "\">\n",
                               html, "</div>\n");
}

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string configuration(std::span<const RunHistory> runs) {
  PageTable table{.headings = run_headings(runs)};
  table.headings.front() = "option";
  if (runs.size() == 1) table.headings[1] = "value";
  table.headings.push_back("default");
  std::vector<Json> all;
  for (const auto& run : runs) all.emplace_back(run.options);
  for (const auto& key : option_keys()) {
    const auto pointer = option_pointer(key);
    const auto& usual = default_options().at(pointer);
    std::vector<std::string> row{key};
    bool differs = false;
    for (const auto& options : all) {
      row.push_back(shown(options.at(pointer)));
      differs |= options.at(pointer) != usual;
    }
    row.push_back(shown(usual));
    if (differs) table.rows.push_back(std::move(row));
  }
  return table.html();
}

}  // namespace

std::string run_page(std::span<const RunHistory> runs, const std::string& version,
                     const PagePart& on_text) {
  std::string title = svg_escaped(runs.front().name);
  for (const auto& other : runs.subspan(1)) title += " and " + svg_escaped(other.name);
  return concat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
      title, "</title>\n<style>", page_style(), run_page_style, on_text.style,
      "</style>\n</head>\n<body>\n<h1>", title, "</h1>\n", facts(runs),
      section_of("Best validations",
                 best_validations(runs, on_text.html.empty() ? unknown_difference : tested_below)),
      section_of("Curves", figures(runs)), on_text.html,
      section_of("Translations of validation sentences", validation_samples(runs)),
      section_of("Configuration that is not the default", configuration(runs)),
      "<p class=\"faint\">Made by dragoman report, version ", svg_escaped(version),
      ".</p>\n</body>\n</html>\n");
}

}  // namespace dragoman
