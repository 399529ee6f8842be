#include "dragoman/experiment/report_page.h"

#include "dragoman/core/error.h"
#include "dragoman/experiment/figures.h"
#include "dragoman/experiment/report_tables.h"
#include "dragoman/report/svg_frame.h"

namespace dragoman {

namespace {

constexpr const char* page_style = R"css(
:root { color-scheme: light dark; --back: #fff; --text: #1d2129; --faint: #5d6675; --line: #d8dce3; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16191f; --text: #e6e8ec; --faint: #9aa3b2; --line: #343a46; }
}
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.5rem; }
p.about, p.effort { max-width: 48rem; }
p.effort, .rule { color: var(--faint); font-size: 0.9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums;
  font-size: 0.9rem; }
th, td { padding: 0.3rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child, .claims th, .claims td { text-align: left; }
td { white-space: nowrap; } .claims td { white-space: normal; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 1rem; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
.verdict { font-weight: 600; white-space: nowrap; }
.confirmed::before { content: "\2713  "; } .not-confirmed::before { content: "\2717  "; }
.within-noise::before { content: "\2248  "; } .not-measured::before { content: "\2013  "; }
)css";

std::string element(const char* name, const std::string& text) {
  return concat('<', name, '>', svg_escaped(text), "</", name, '>');
}

const char* class_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed: return "verdict confirmed";
    case Verdict::not_confirmed: return "verdict not-confirmed";
    case Verdict::within_noise: return "verdict within-noise";
    case Verdict::not_measured: break;
  }
  return "verdict not-measured";
}

std::string html_row(const char* cell, const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (const auto& text : cells) row += element(cell, text);
  return row + "</tr>\n";
}

std::string html_table(const ReportTable& table) {
  if (table.rows.empty()) return {};
  auto html = "<div class=\"scroll\"><table>\n<thead>" + html_row("th", table.headings) +
              "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) html += html_row("td", row);
  return html + "</tbody></table></div>\n";
}

std::string verdict_cell(Verdict verdict) {
  return concat("<td class=\"", class_of(verdict), "\">", name_of(verdict), "</td>");
}

/// All claims, each linked to its experiment.
std::string overview(const std::vector<ExperimentResult>& results) {
  std::string html = "<table class=\"claims\">\n<thead><tr><th>experiment</th><th>claim</th>"
                     "<th>verdict</th></tr></thead>\n<tbody>\n";
  for (const auto& result : results)
    for (const auto& claim : result.experiment.claims) {
      const auto name = svg_escaped(result.experiment.name);
      html += concat("<tr><td><a href=\"#", name, "\">", name, "</a></td>",
                     element("td", claim.says), verdict_cell(judge(claim, result).verdict),
                     "</tr>\n");
    }
  return html + "</tbody></table>\n";
}

std::string claims_of(const ExperimentResult& result) {
  std::string html = "<table class=\"claims\">\n<tbody>\n";
  for (const auto& claim : result.experiment.claims) {
    const auto judgement = judge(claim, result);
    html += concat("<tr><td>", svg_escaped(claim.says), "<ul>");
    for (const auto& finding : judgement.findings)
      html += element("li", finding_text(claim, finding));
    html += concat("</ul></td>", verdict_cell(judgement.verdict), "</tr>\n");
  }
  return html + "</tbody></table>\n";
}

std::string section(const ExperimentResult& result) {
  const auto& experiment = result.experiment;
  auto html = concat("<section id=\"", svg_escaped(experiment.name), "\">\n",
                     element("h2", experiment.title), "\n<p class=\"about\">",
                     svg_escaped(experiment.about), "</p>\n<p class=\"effort\">",
                     effort_text(result), ".</p>\n", claims_of(result),
                     html_table(variants_table(result)));
  html += "<div class=\"figures\">\n";
  for (const auto& figure : experiment.figures)
    if (const auto svg = figure_svg(figure, result); !svg.empty())
      html += "<figure>" + svg + "</figure>\n";
  return html + "</div>\n" + html_table(reliability_table(result)) + html_table(lengths_table(result)) +
         html_table(answers_table(result)) + "</section>\n";
}

}  // namespace

std::string report_page(const std::vector<ExperimentResult>& results, const ReportFacts& facts) {
  auto html = concat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n"
                     "<title>Experiments</title>\n<style>", page_style, "</style>\n</head>\n<body>\n"
                     "<h1>What tutorials say, and what was measured</h1>\n<p>",
                     svg_escaped(facts.text), ".<br>", svg_escaped(facts.machine),
                     ".</p>\n<p class=\"rule\">", svg_escaped(rule_text()), "</p>\n",
                     overview(results));
  for (const auto& result : results) html += section(result);
  return html + concat("<p class=\"rule\">Made by dragoman experiment, version ",
                       svg_escaped(facts.version), ".</p>\n</body>\n</html>\n");
}

}  // namespace dragoman
