#include "dragoman/report/attention_text.h"

#include "dragoman/core/display_width.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <array>
#include <locale>
#include <sstream>

namespace dragoman {

namespace {

/// A shade for each fifth; the first is blank. A negative weight of that size has two dashes.
const char* shade_of(float weight) {
  if (weight <= -0.2F) return "--";
  constexpr std::array shades = {"  ", "░░", "▒▒", "▓▓", "██"};
  const auto step = static_cast<int>(weight * static_cast<float>(shades.size()));
  return shades[static_cast<std::size_t>(std::clamp(step, 0, 4))];
}

std::size_t widest(const std::vector<std::string>& pieces) {
  std::size_t width = 0;
  for (const auto& piece : pieces) width = std::max(width, display_width(piece));
  return width;
}

/// The heads of a layer that are shown, from 0: none if they have been pruned.
std::vector<std::int64_t> heads_shown(const AttentionMap& map, std::int64_t layer,
                                      const AttentionChoice& choice) {
  auto heads = map.remaining_heads(layer);
  if (choice.head) std::erase_if(heads, [&](std::int64_t head) { return head != *choice.head; });
  return heads;
}

std::string heading(const AttentionMap& map, std::int64_t layer, const AttentionChoice& choice) {
  const auto shown = heads_shown(map, layer, choice).size();
  auto text = name_of(map.kind) + " attention, layer " + std::to_string(layer + 1) + ", ";
  if (choice.head)
    text += "head " + std::to_string(*choice.head + 1);
  else
    text += shown == 0 ? "all heads"
                       : "mean of " + std::to_string(shown) + (shown == 1 ? " head" : " heads");
  return text + (shown == 0 ? ", pruned\n" : "\n");
}

/// "    0   2   4": every second column has its number above it.
std::string column_numbers(std::size_t keys) {
  std::string line;
  for (std::size_t j = 0; j < keys; j += 2) line += pad_right(std::to_string(j), 4);
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

std::string block(const AttentionMap& map, const AttentionChoice& choice) {
  const auto layer = choice.layer.value_or(map.layers - 1);
  if (heads_shown(map, layer, choice).empty()) return heading(map, layer, choice);
  const auto mean = map.mean_of_heads(layer);
  const auto width = widest(map.queries);
  auto text =
      heading(map, layer, choice) + std::string(width + 2, ' ') + column_numbers(map.keys.size());
  for (std::size_t i = 0; i < map.queries.size(); ++i) {
    std::string row;
    std::vector<float> weights;
    for (std::size_t j = 0; j < map.keys.size(); ++j) {
      weights.push_back(choice.head ? map.weight(layer, *choice.head, i, j)
                                    : mean[i * map.keys.size() + j]);
      row += shade_of(weights.back());
    }
    const auto most = std::max_element(weights.begin(), weights.end()) - weights.begin();
    text += pad_left(map.queries[i], width) + " |" + row + "| " +
            decimal(weights[static_cast<std::size_t>(most)], 2) + ' ' + std::to_string(most) + ' ' +
            map.keys[static_cast<std::size_t>(most)] + '\n';
  }
  return text;
}

/// As RFC 4180 asks.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

void write_lines(std::ostream& out, std::int64_t sentence, const AttentionMap& map,
                 std::int64_t layer, std::int64_t head) {
  for (std::size_t i = 0; i < map.queries.size(); ++i)
    for (std::size_t j = 0; j < map.keys.size(); ++j)
      out << sentence << ',' << name_of(map.kind) << ',' << layer + 1 << ',' << head + 1 << ',' << i
          << ',' << quoted(map.queries[i]) << ',' << j << ',' << quoted(map.keys[j]) << ','
          << map.weight(layer, head, i, j) << '\n';
}

}  // namespace

std::string attention_blocks(std::span<const AttentionPicture> pictures,
                             const AttentionChoice& choice) {
  std::string text;
  for (const auto& picture : pictures) {
    text += (text.empty() ? "" : "\n") + picture.source + '\n';
    if (!picture.target.empty()) text += picture.target + '\n';
    for (const auto& map : picture.maps) text += '\n' + block(map, choice);
  }
  return text;
}

std::string attention_csv(std::span<const AttentionPicture> pictures,
                          const AttentionChoice& choice) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << "sentence,kind,layer,head,query_position,query,key_position,key,weight\n";
  for (const auto& picture : pictures)
    for (const auto& map : picture.maps)
      for (std::int64_t layer = 0; layer < map.layers; ++layer)
        if (layer == choice.layer.value_or(layer))
          for (const auto head : heads_shown(map, layer, choice))
            write_lines(out, picture.line, map, layer, head);
  return out.str();
}

}  // namespace dragoman
