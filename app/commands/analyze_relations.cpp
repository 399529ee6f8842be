#include "commands/analyze.h"
#include "commands/text_files.h"

#include "dragoman/analysis/word_relations.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace dragoman::app {

namespace {

/// Layer and head with the largest share; none if all heads are pruned.
std::optional<std::pair<std::size_t, std::size_t>> best_head(const RelationReport& report) {
  std::optional<std::pair<std::size_t, std::size_t>> best;
  for (std::size_t layer = 0; layer < report.shares.size(); ++layer)
    for (std::size_t head = 0; head < report.shares[layer].size(); ++head) {
      const double share = report.shares[layer][head];
      if (std::isnan(share)) continue;
      if (!best || share > report.shares[best->first][best->second]) best = {layer, head};
    }
  return best;
}

std::string share_text(double share) { return std::isnan(share) ? "-" : decimal(share, 3); }

void print_relation_table(const std::vector<RelationReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"relation", "pairs", "chance", "best head", "share"}};
  for (const auto& report : reports) {
    const auto best = best_head(report);
    rows.push_back({report.relation, std::to_string(report.pairs), decimal(report.chance, 3),
                    best ? concat("encoder ", best->first + 1, ".", best->second + 1) : "-",
                    best ? decimal(report.shares[best->first][best->second], 3) : "-"});
  }
  std::cout << text_table(rows);

  rows = {{"layer", "best heads above chance"}};
  for (const auto weight : relation_weights(reports))
    rows.push_back({concat("encoder ", rows.size()), share_text(weight)});
  std::cout << '\n' << text_table(rows);
}

}  // namespace

void print_relations(const LoadedRun& run, const AnalyzedText& text,
                     const std::filesystem::path& word_pairs, bool json) {
  const auto place = text_place(word_pairs.string());
  std::size_t lines = 0;
  const auto pairs = text.read_all_lines(run, lines);
  auto relations = read_word_pairs(word_pairs);
  if (relations.size() != lines && relations.size() != pairs.size())
    throw DataError(concat(place, ": has ", counted(std::ssize(relations), "line"), " for ",
                           counted(static_cast<std::int64_t>(lines), "sentence"),
                           "; give one for each"));
  relations.resize(pairs.size());
  const auto reports = relation_shares(run, pairs, relations);
  if (reports.empty()) throw DataError(concat(place, ": names no pair of these sentences"));
  if (!json) return print_relation_table(reports);
  for (const auto& report : reports)
    std::cout << nlohmann::ordered_json{{"relation", report.relation},
                                        {"pairs", report.pairs},
                                        {"chance", report.chance},
                                        {"shares", report.shares}}
                     .dump()
              << '\n';
}

}  // namespace dragoman::app
