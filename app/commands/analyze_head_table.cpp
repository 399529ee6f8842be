#include "commands/analyze.h"

#include "dragoman/analysis/head_roles.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>

namespace dragoman::app {

namespace {

using HeadsJson = nlohmann::ordered_json;

constexpr std::array self_attentions = {AttentionPart::encoder, AttentionPart::decoder};

HeadsJson head_json(AttentionPart kind, std::int64_t layer, std::int64_t head,
                    const HeadStatistics& h) {
  HeadsJson object = {{"kind", name_of(kind)},
                      {"layer", layer + 1},
                      {"head", head + 1},
                      {"entropy", h.entropy},
                      {"relative_entropy", h.relative_entropy},
                      {"max_weight", h.max_weight},
                      {"mass_first", h.mass_first},
                      {"mass_last", h.mass_last}};
  if (kind != AttentionPart::cross)
    object.update({{"mean_distance", h.mean_distance},
                   {"mass_previous", h.mass_previous},
                   {"mass_self", h.mass_self},
                   {"mass_next", h.mass_next},
                   {"semantic", h.semantic}});
  object["roles"] = roles_of(kind, h);
  return object;
}

std::vector<std::string> head_row(AttentionPart kind, std::int64_t layer, std::int64_t head,
                                  const HeadStatistics& h) {
  const auto self = [&](double x) { return kind == AttentionPart::cross ? "" : decimal(x, 2); };
  return {name_of(kind) + ' ' + std::to_string(layer + 1) + '.' + std::to_string(head + 1),
          decimal(h.entropy, 2),
          decimal(h.max_weight, 2),
          self(h.mean_distance),
          self(h.mass_previous),
          self(h.mass_self),
          self(h.mass_next),
          decimal(h.mass_first, 2),
          decimal(h.mass_last, 2),
          self(h.semantic),
          joined(roles_of(kind, h))};
}

HeadsJson layers_json(const std::vector<LayerSummary>& layers) {
  HeadsJson object = {{"layers", HeadsJson::array()}};
  for (const auto& layer : layers)
    if (layer.kind != AttentionPart::cross)
      object["layers"].push_back({{"kind", name_of(layer.kind)},
                                  {"layer", layer.layer + 1},
                                  {"entropy", layer.entropy},
                                  {"mean_distance", layer.mean_distance},
                                  {"neighbours", layer.neighbours}});
  for (const auto kind : self_attentions)
    if (std::ranges::find(layers, kind, &LayerSummary::kind) != layers.end())
      object["distance_rises"][name_of(kind)] = distance_verdict(layers, kind);
  return object;
}

void print_layers(const std::vector<LayerSummary>& layers) {
  std::vector<std::vector<std::string>> rows = {
      {"layer", "entropy", "distance", "own and neighbours"}};
  for (const auto& layer : layers)
    if (layer.kind != AttentionPart::cross)
      rows.push_back({name_of(layer.kind) + ' ' + std::to_string(layer.layer + 1),
                      decimal(layer.entropy, 2), decimal(layer.mean_distance, 2),
                      decimal(layer.neighbours, 2)});
  if (rows.size() > 1) std::cout << '\n' << text_table(rows);
  for (const auto kind : self_attentions)
    if (std::ranges::find(layers, kind, &LayerSummary::kind) != layers.end())
      std::cout << "\"lower layers attend nearby, upper layers far away\" (distance rises with the "
                   "layer), "
                << name_of(kind) << ": " << distance_verdict(layers, kind) << '\n';
}

}  // namespace

void print_heads(const std::vector<LayerStatistics>& layers, std::size_t sentences, bool json) {
  auto objects = HeadsJson::array();
  std::vector<std::vector<std::string>> rows = {{"head", "entropy", "largest", "distance",
                                                 "previous", "self", "next", "first", "last",
                                                 "semantic", "roles"}};
  for (const auto& layer : layers)
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      objects.push_back(head_json(layer.kind, layer.layer, layer.numbers[h], layer.heads[h]));
      rows.push_back(head_row(layer.kind, layer.layer, layer.numbers[h], layer.heads[h]));
    }
  if (json) {
    HeadsJson object = {
        {"sentences", sentences}, {"thresholds", threshold_text()}, {"heads", objects}};
    object.update(layers_json(layer_summaries(layers)));
    std::cout << object.dump(1) << '\n';
    return;
  }
  std::cout << text_table(rows);
  print_layers(layer_summaries(layers));
  std::cout << "means over the tokens of " << counted(static_cast<std::int64_t>(sentences), "pair")
            << "; roles: " << threshold_text() << '\n';
}

}  // namespace dragoman::app
