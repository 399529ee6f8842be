#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/corpus/preflight.h"

#include <cstdio>

namespace dragoman {

namespace {

constexpr std::size_t name_columns = 30;

/// The end of a long name, which distinguishes files.
std::string shortened(const std::string& name) {
  auto characters = utf8::decode_all(name);
  if (characters.size() > name_columns)
    characters = U"..." + characters.substr(characters.size() - name_columns + 3);
  characters.resize(name_columns, U' ');
  return utf8::encode_all(characters);
}

std::string right(const std::string& text, std::size_t columns) {
  return text.size() >= columns ? ' ' + text : std::string(columns - text.size(), ' ') + text;
}

std::string side_row(const TextFacts& side) {
  return shortened(side.file) + right(grouped(side.lines), 11) +
         right(grouped(side.empty_lines), 8) + right(grouped(side.words), 13) +
         right(grouped(side.longest_line), 9) + '\n';
}

std::string pair_rows(const PairFacts& pair) {
  char ratio[40];
  std::snprintf(ratio, sizeof ratio, "%.2f", pair.mean_ratio);
  return side_row(pair.source) + side_row(pair.target) +
         concat("  ", grouped(pair.pairs), " pairs: ", grouped(pair.empty_pairs),
                " with an empty side, ", grouped(pair.duplicates), " duplicates, ",
                grouped(pair.copies), " copies;\n  mean length ratio ", ratio, ", ",
                grouped(pair.odd_ratios), " far from it\n");
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
          {"mismatch", mismatch_json(pair.mismatch)}};
}

}  // namespace

std::string Preflight::table() const {
  std::string rows;
  for (const auto* pairs : {&training, &validation})
    for (const auto& pair : *pairs)
      if (pair.readable) rows += pair_rows(pair);
  return rows.empty() ? rows
                      : shortened("text") + "      lines   empty        words  longest\n" + rows;
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
