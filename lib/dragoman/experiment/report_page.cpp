#include "dragoman/experiment/report_page.h"

#include "dragoman/core/concat.h"
#include "dragoman/experiment/figures.h"
#include "dragoman/experiment/report_sentences.h"
#include "dragoman/experiment/report_tables.h"
#include "dragoman/report/page_style.h"
#include "dragoman/report/page_table.h"
#include "dragoman/report/svg_frame.h"

#include <map>

namespace dragoman {

namespace {

constexpr const char* report_style = R"css(
:root { --yes: #17703f; --yes-back: #e2f3e8; --no: #ad2e22; --no-back: #fbe7e4;
  --open: #7a5600; --open-back: #fcf1d2; --none: #5d6675; --none-back: #eceef2; }
@media (prefers-color-scheme: dark) {
  :root { --yes: #7fd8a2; --yes-back: #173425; --no: #ff9d91; --no-back: #401d1a;
    --open: #f2c665; --open-back: #3a2e10; --none: #9aa3b2; --none-back: #2a2f39; }
}
body { max-width: 66rem; }
a { color: inherit; text-decoration-color: var(--faint); }
p.about, p.effort { max-width: 48rem; }
p.effort, .rule { color: var(--faint); font-size: 0.9rem; }
.scroll { overflow-x: auto; }
table { font-size: 0.9rem; }
th, td { padding: 0.3rem 0.7rem; text-align: right; }
thead th { font-weight: 600; vertical-align: bottom; }
caption { text-align: left; color: var(--faint); padding: 0 0.7rem 0.3rem; }
th:first-child, td:first-child, .claims th, .claims td { text-align: left; }
td, tbody th { white-space: nowrap; }
.claims td, .claims tbody th { white-space: normal; vertical-align: top; }
.claims { width: 100%; } .claims ul { margin: 0.2rem 0; padding-left: 1.2rem; color: var(--faint); }

/* Verdicts: a sign, a word and a colour; each of them is enough. */
.verdict span { font-weight: 600; border-radius: 1rem; padding: 0.1rem 0.7rem; display: inline-block; }
.claims .verdict { white-space: nowrap; width: 1%; }
.confirmed span { color: var(--yes); background: var(--yes-back); }
.not-confirmed span { color: var(--no); background: var(--no-back); }
.within-noise span { color: var(--open); background: var(--open-back); }
.not-measured span { color: var(--none); background: var(--none-back); }
.confirmed span::before { content: "\2713  "; } .not-confirmed span::before { content: "\2717  "; }
.within-noise span::before { content: "\2248  "; } .not-measured span::before { content: "\2013  "; }
details { margin-top: 0.6rem; }
.counts { list-style: none; display: flex; flex-wrap: wrap; gap: 0.6rem; padding: 0; margin: 1rem 0 0.5rem; }
.counts span { font-size: 1.1rem; padding: 0.3rem 1rem; }
.share { display: flex; height: 0.6rem; gap: 2px; }
.share .verdict { border-radius: 2px; background: currentColor; }
.share .confirmed { color: var(--yes); } .share .not-confirmed { color: var(--no); }
.share .within-noise { color: var(--open); } .share .not-measured { color: var(--none); }

/* On a phone each row of a table is a card. */
@media (max-width: 40rem) {
  tr { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
    padding: 0.5rem 0.8rem; margin: 0.6rem 0; }
  td, tbody th { padding: 0.1rem 0; white-space: normal; text-align: left; }
  .scroll td { display: flex; justify-content: space-between; gap: 1rem; text-align: right; }
  .scroll tbody th { font-weight: 600; }
  .scroll td:not(:first-child)::before { content: attr(data-label); color: var(--faint); text-align: left; }
  .claims .verdict { width: auto; padding-top: 0.4rem; }
}
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

std::string html_table(const ReportTable& table) {
  const PageTable page{.headings = table.headings, .rows = table.rows, .caption = table.caption};
  return page.rows.empty() ? "" : "<div class=\"scroll\">" + page.html() + "</div>\n";
}

std::string verdict_cell(Verdict verdict) {
  return concat("<td class=\"", class_of(verdict), "\"><span>", name_of(verdict), "</span></td>");
}

/// How many claims have each verdict, as words and as a bar.
std::string verdict_counts(const std::vector<JudgedResult>& results) {
  std::map<Verdict, std::size_t> number;
  for (const auto& result : results)
    for (const auto& judgement : result.judgements) ++number[judgement.verdict];
  std::string words, bar;
  for (const auto& [verdict, count] : number) {
    words += concat("<li class=\"", class_of(verdict), "\"><span>", count, ' ', name_of(verdict),
                    "</span></li>\n");
    bar += concat("<div class=\"", class_of(verdict), "\" style=\"flex:", count, "\"></div>");
  }
  return concat("<ul class=\"counts\">\n", words,
                "</ul>\n<div class=\"share\" aria-hidden=\"true\">", bar, "</div>\n");
}

/// All claims, each linked to its experiment.
std::string overview(const std::vector<JudgedResult>& results) {
  std::string html =
      "<table class=\"claims\">\n<thead><tr><th scope=\"col\">experiment</th>"
      "<th scope=\"col\">claim</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n";
  for (const auto& result : results)
    for (const auto& judgement : result.judgements) {
      const auto name = svg_escaped(result.experiment.name);
      html += concat("<tr><td><a href=\"#", name, "\">", name, "</a></td><th scope=\"row\">",
                     svg_escaped(judgement.claim.says), "</th>", verdict_cell(judgement.verdict),
                     "</tr>\n");
    }
  return html + "</tbody></table>\n";
}

std::string claims_of(const JudgedResult& result) {
  std::string html = "<table class=\"claims\">\n<tbody>\n";
  for (const auto& judgement : result.judgements) {
    html += concat("<tr><td>", svg_escaped(judgement.claim.says), "<ul>");
    for (const auto& finding : judgement.findings)
      html += element("li", finding_text(judgement.claim, finding));
    html += concat("</ul></td>", verdict_cell(judgement.verdict), "</tr>\n");
  }
  return html + "</tbody></table>\n";
}

bool has_error_bars(const ExperimentResult& result) {
  return std::ranges::any_of(result.experiment.figures, [&](const Figure& figure) {
    return (figure.kind == FigureKind::values || figure.kind == FigureKind::bars) &&
           std::ranges::any_of(result.experiment.variants, [&](const Variant& variant) {
             return result.shown_sample(variant.name, figure.measure).count > 1;
           });
  });
}

std::string section(const JudgedResult& result, const std::vector<JudgedResult>& all) {
  const auto& experiment = result.experiment;
  auto html = concat(
      "<section id=\"", svg_escaped(experiment.name), "\">\n", element("h2", experiment.title),
      "\n<p class=\"about\">", svg_escaped(experiment.about), "</p>\n<p class=\"effort\">",
      effort_text(result), ".", svg_escaped(shared_text(result, all)), "</p>\n", claims_of(result));
  if (!result.practice.empty())
    html += concat("<p class=\"about\">In practice: ", svg_escaped(result.practice), "</p>\n");
  html += html_table(variants_table(result));
  html += "<div class=\"figures\">\n";
  for (const auto& figure : experiment.figures)
    if (const auto svg = figure_svg(figure, result); !svg.empty())
      html += "<figure>" + svg + "</figure>\n";
  html += "</div>\n";
  if (has_error_bars(result))
    html += "<p class=\"faint\">Error bars: standard deviation over seeds.</p>\n";
  return html + html_table(reliability_table(result)) + html_table(lengths_table(result)) +
         html_table(answers_table(result)) + "</section>\n";
}

}  // namespace

std::string report_page(const std::vector<JudgedResult>& results, const ReportFacts& facts) {
  auto html = concat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Experiments</title>\n<style>",
      page_style(), report_style,
      "</style>\n</head>\n<body>\n"
      "<h1>What tutorials say, and what was measured</h1>\n<p>",
      svg_escaped(facts.text), ".<br>", svg_escaped(facts.machine), ".",
      svg_escaped(versions_text(results)), "</p>\n", verdict_counts(results),
      "<details class=\"rule\"><summary>How verdicts are determined</summary>\n<p>",
      svg_escaped(rule_text(results, facts)), "</p></details>\n", overview(results));
  for (const auto& result : results) html += section(result, results);
  return html + concat("<p class=\"rule\">Made by dragoman experiment, version ",
                       svg_escaped(facts.version), ".</p>\n</body>\n</html>\n");
}

}  // namespace dragoman
