#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/json_or_null.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/preflight.h"

namespace dragoman {

namespace {

constexpr std::size_t name_columns = 30;

std::string name_cell(const std::string& name) {
  return pad_right(cut_front_to_width(name, name_columns), name_columns);
}

std::string side_row(const TextFacts& side) {
  return concat(name_cell(side.file), ' ', pad_left(grouped(side.lines), 10), ' ',
                pad_left(grouped(side.empty_lines), 7), ' ', pad_left(grouped(side.words), 12), ' ',
                pad_left(grouped(side.longest_line), 8), '\n');
}

std::string pair_rows(const PairFacts& pair) {
  return side_row(pair.source) + side_row(pair.target) +
         concat("  ", grouped(pair.pairs), " pairs: ", grouped(pair.empty_pairs),
                " with an empty side, ", grouped(pair.duplicates), " duplicates, ",
                grouped(pair.copies), " copies;\n  mean length ratio ", decimal(pair.mean_ratio, 2),
                ", ", grouped(pair.odd_ratios), " far from it\n");
}

nlohmann::json side_json(const TextFacts& side) {
  return {
      {"file", side.file},   {"lines", side.lines},           {"empty_lines", side.empty_lines},
      {"words", side.words}, {"characters", side.characters}, {"longest_line", side.longest_line}};
}

nlohmann::json mismatch_json(const std::optional<Mismatch>& mismatch) {
  if (!mismatch) return nullptr;
  return {{"first_line", mismatch->first},
          {"last_line", mismatch->last},
          {"all", mismatch->all},
          {"shift", mismatch->shift}};
}

nlohmann::json pair_json(const PairFacts& pair) {
  return {{"source", side_json(pair.source)},
          {"target", side_json(pair.target)},
          {"pairs", pair.pairs},
          {"empty_pairs", pair.empty_pairs},
          {"duplicates", pair.duplicates},
          {"copies", pair.copies},
          {"mean_ratio", pair.mean_ratio},
          {"odd_ratios", pair.odd_ratios},
          {"length_correlation", pair.length_correlation},
          {"contained", json_or_null(pair.contained)},
          {"mismatch", mismatch_json(pair.mismatch)}};
}

}  // namespace

std::string Preflight::table() const {
  std::string rows;
  for (const auto* pairs : {&training, &validation})
    for (const auto& pair : *pairs)
      if (pair.readable) rows += pair_rows(pair);
  return rows.empty() ? rows
                      : name_cell("text") + "      lines   empty        words  longest\n" + rows;
}

nlohmann::json Preflight::json() const {
  nlohmann::json out = {{"training", nlohmann::json::array()},
                        {"validation", nlohmann::json::array()},
                        {"overlapping_sources", overlapping_sources},
                        {"overlapping_pairs", overlapping_pairs},
                        {"problems", problems},
                        {"warnings", warnings}};
  for (const auto& pair : training) out["training"].push_back(pair_json(pair));
  for (const auto& pair : validation) out["validation"].push_back(pair_json(pair));
  return out;
}

}  // namespace dragoman
