#include "dragoman/experiment/report_text.h"

#include "dragoman/core/concat.h"
#include "dragoman/experiment/report_sentences.h"
#include "dragoman/experiment/report_tables.h"

#include <string_view>

namespace dragoman {

namespace {

/// Escapes text for a cell: no bar ends it, no newline breaks it, no character is markup.
std::string markdown_cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\|<*_`[&").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const auto& cell : cells) row += ' ' + markdown_cell(cell) + " |";
  return row + '\n';
}

std::string markdown_table(const ReportTable& table) {
  if (table.rows.empty()) return {};
  auto text = table.caption.empty() ? std::string() : table.caption + ":\n\n";
  text += markdown_row(table.headings) + "|---|";
  for (std::size_t i = 1; i < table.headings.size(); ++i) text += "---:|";
  text += '\n';
  for (const auto& row : table.rows) text += markdown_row(row);
  return text + '\n';
}

std::string markdown_claims(const JudgedResult& result) {
  std::string text;
  for (const auto& judgement : result.judgements) {
    const auto& claim = judgement.claim;
    text += concat("- ", markdown_cell(claim.says), ": **", name_of(judgement.verdict), "**\n");
    for (const auto& finding : judgement.findings)
      text += concat("  - ", markdown_cell(finding_text(claim, finding)), '\n');
  }
  return text + '\n';
}

std::string practice_of(const ExperimentResult& result) {
  if (result.practice.empty()) return {};
  return concat("In practice: ", markdown_cell(result.practice), "\n\n");
}

}  // namespace

std::string report_markdown(const std::vector<JudgedResult>& results, const ReportFacts& facts) {
  auto text = concat("# Experiments\n\nMade by `dragoman experiment`, version ", facts.version,
                     "; plots are in report.html.\n", markdown_cell(facts.text),
                     ".\nMachine: ", markdown_cell(facts.machine), ".", versions_text(results),
                     "\n\n", rule_text(results, facts), "\n\n");
  text += markdown_table(overview_table(results));
  for (const auto& result : results)
    text += concat("## ", markdown_cell(result.experiment.title), "\n\n",
                   markdown_cell(result.experiment.about), "\n\n", effort_text(result), ".",
                   markdown_cell(shared_text(result, results)), "\n\n", markdown_claims(result),
                   practice_of(result), markdown_table(variants_table(result)),
                   markdown_table(reliability_table(result)), markdown_table(lengths_table(result)),
                   markdown_table(answers_table(result)));
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace dragoman
