#include "dragoman/report/attention_map.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace dragoman {

namespace {

using OrderedJson = nlohmann::ordered_json;

double six_digits(float weight) { return std::round(static_cast<double>(weight) * 1e6) / 1e6; }

OrderedJson weights_of(const AttentionMap& map, std::int64_t layer, std::int64_t head) {
  if (std::ranges::count(map.remaining_heads(layer), head) == 0) return nullptr;
  auto rows = OrderedJson::array();
  for (std::size_t i = 0; i < map.queries.size(); ++i) {
    auto row = OrderedJson::array();
    for (std::size_t j = 0; j < map.keys.size(); ++j)
      row.push_back(six_digits(map.weight(layer, head, i, j)));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The chosen one of `count`, or all, from 0.
std::vector<std::int64_t> numbers_shown(const std::optional<std::int64_t>& chosen,
                                        std::int64_t count) {
  if (chosen) return {*chosen};
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

OrderedJson object_of(const AttentionMap& map, const AttentionChoice& choice) {
  OrderedJson object = {{"kind", name_of(map.kind)}, {"queries", map.queries}, {"keys", map.keys}};
  auto weights = OrderedJson::array();
  const auto heads = numbers_shown(choice.head, map.heads);
  for (const auto head : heads) object["heads"].push_back(head + 1);
  for (const auto layer : numbers_shown(choice.layer, map.layers)) {
    object["layers"].push_back(layer + 1);
    auto by_head = OrderedJson::array();
    for (const auto head : heads) by_head.push_back(weights_of(map, layer, head));
    weights.push_back(std::move(by_head));
  }
  object["weights"] = std::move(weights);
  return object;
}

OrderedJson object_of(const std::string& title, std::span<const AttentionPicture> pictures,
                      const AttentionChoice& choice) {
  auto all = OrderedJson::array();
  for (const auto& picture : pictures) {
    auto maps = OrderedJson::array();
    for (const auto& map : picture.maps) maps.push_back(object_of(map, choice));
    all.push_back({{"line", picture.line},
                   {"source", picture.source},
                   {"target", picture.target},
                   {"maps", std::move(maps)}});
  }
  return {{"title", title}, {"pictures", std::move(all)}};
}

void expect_place(const char* what, const std::optional<std::int64_t>& chosen, std::int64_t count) {
  if (chosen && (*chosen < 0 || *chosen >= count))
    throw OptionsError(
        concat(what, " ", *chosen + 1, ": this model has ", counted(count, what),
               count == 1 ? "; choose 1" : concat("; choose one from 1 to ", count)));
}

}  // namespace

std::string name_of(AttentionPart kind) {
  switch (kind) {
    case AttentionPart::encoder: return "encoder";
    case AttentionPart::decoder: return "decoder";
    case AttentionPart::cross: return "cross";
  }
  return {};
}

AttentionPart attention_part(std::string_view name) {
  for (const auto kind : {AttentionPart::encoder, AttentionPart::decoder, AttentionPart::cross})
    if (name == name_of(kind)) return kind;
  throw OptionsError(concat("kind: \"", name, "\" is unknown; choose encoder, decoder or cross"));
}

float AttentionMap::weight(std::int64_t layer, std::int64_t head, std::size_t query,
                           std::size_t key) const {
  const auto map = static_cast<std::size_t>(layer * heads + head);
  return weights[(map * queries.size() + query) * keys.size() + key];
}

std::vector<std::int64_t> AttentionMap::remaining_heads(std::int64_t layer) const {
  const auto cells = queries.size() * keys.size();
  std::vector<std::int64_t> remaining;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto first = static_cast<std::size_t>(layer * heads + head) * cells;
    if (std::ranges::any_of(std::span(weights).subspan(first, cells),
                            [](float weight) { return weight != 0.0F; }))
      remaining.push_back(head);
  }
  return remaining;
}

std::vector<float> AttentionMap::mean_of_heads(std::int64_t layer) const {
  const auto cells = queries.size() * keys.size();
  std::vector<float> mean(cells, 0.0F);
  const auto remaining = remaining_heads(layer);
  for (const auto head : remaining)
    for (std::size_t cell = 0; cell < cells; ++cell)
      mean[cell] += weights[static_cast<std::size_t>(layer * heads + head) * cells + cell] /
                    static_cast<float>(remaining.size());
  return mean;
}

void expect_chosen(std::span<const AttentionPicture> pictures, const AttentionChoice& choice) {
  for (const auto& picture : pictures) {
    std::int64_t layers = 0, heads = 0;
    for (const auto& map : picture.maps)
      if (!choice.kind || map.kind == *choice.kind) {
        layers = std::max(layers, map.layers);
        heads = std::max(heads, map.heads);
      }
    if (layers == 0) continue;
    expect_place("layer", choice.layer, layers);
    expect_place("head", choice.head, heads);
  }
}

void keep_chosen(std::vector<AttentionPicture>& pictures, const AttentionChoice& choice) {
  expect_chosen(pictures, choice);
  const auto is_other = [&choice](const AttentionMap& map) {
    return (choice.kind && map.kind != *choice.kind) || choice.layer.value_or(0) >= map.layers ||
           choice.head.value_or(0) >= map.heads;
  };
  for (auto& picture : pictures) std::erase_if(picture.maps, is_other);
}

std::string attention_json(const std::string& title, std::span<const AttentionPicture> pictures,
                           const AttentionChoice& choice) {
  return object_of(title, pictures, choice)
      .dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace dragoman
