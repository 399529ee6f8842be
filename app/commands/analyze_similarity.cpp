#include "commands/analyze.h"

#include "dragoman/analysis/head_similarity.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace dragoman::app {

namespace {

std::vector<std::vector<std::string>> similarity_rows(const std::vector<LayerDistances>& layers) {
  std::vector<std::vector<std::string>> rows = {{"head", "most like", "distance"}};
  for (const auto& layer : layers)
    for (std::size_t i = 0; i < layer.heads.size() && layer.heads.size() > 1; ++i) {
      const auto other = layer.nearest(i);
      rows.push_back({name_of(HeadPlace{layer.kind, layer.layer, layer.heads[i]}),
                      name_of(HeadPlace{layer.kind, layer.layer, layer.heads[other]}),
                      decimal(layer.distance[i][other], 3)});
    }
  return rows;
}

}  // namespace

void print_similarity(const LoadedRun& run, const std::vector<LinePair>& pairs, bool json) {
  const auto layers = head_distances(run, pairs);
  if (!json) {
    std::cout << text_table(similarity_rows(layers))
              << "mean Jensen-Shannon divergence of the weights of "
              << counted(std::ssize(pairs), "pair")
              << ", in bits: 0 = alike, 1 = never at the same key\n";
    return;
  }
  auto list = nlohmann::ordered_json::array();
  for (const auto& layer : layers) {
    auto numbers = nlohmann::ordered_json::array();
    for (const auto head : layer.heads) numbers.push_back(head + 1);
    list.push_back({{"kind", name_of(layer.kind)},
                    {"layer", layer.layer + 1},
                    {"heads", numbers},
                    {"distance", layer.distance}});
  }
  std::cout << nlohmann::ordered_json{{"sentences", pairs.size()}, {"layers", list}}.dump(1)
            << '\n';
}

}  // namespace dragoman::app
