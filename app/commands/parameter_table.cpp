#include "commands/parameter_table.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/model/parameter_count.h"

#include <functional>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::app {

namespace {

constexpr int part_width = 40, number_width = 15;

void write_row(const std::string& name, const std::string& weights, const std::string& biases,
               const std::string& total) {
  std::cout << std::left << std::setw(part_width) << name << std::right << std::setw(number_width)
            << weights << std::setw(number_width) << biases << std::setw(number_width) << total
            << '\n';
}

void write_part(const std::string& name, const PartCount& part) {
  write_row(name, grouped(part.weights), grouped(part.biases), grouped(part.total()));
}

void write_layer(const std::vector<NamedCount>& sublayers, const PartCount& norm) {
  for (const auto& part : sublayers) write_part("    " + part.name, part.count);
  write_part(concat("    layer norms (", sublayers.size(), ")"), std::ssize(sublayers) * norm);
}

/// "encoder.layers.0" of "encoder.layers.0.norm.weight", "head" of "head.weight".
std::string module_of(const std::string& name) {
  const auto layers = name.find(".layers.");
  const auto from = layers == std::string::npos ? 0 : layers + std::string_view(".layers.").size();
  return name.substr(0, name.find('.', from));
}

std::int64_t numbers_of(const TensorView& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1},
                         std::multiplies<>());
}

}  // namespace

void write_parameter_table(const ModelOptions& options, const VocabularySizes& vocabulary) {
  const auto count = parameter_count(options, vocabulary);
  write_row("parameters", "without biases", "biases", "total");
  write_part("embeddings", count.embeddings);
  const auto pruned = options.encoder_attention.pruned_heads(options.encoder_layers) +
                      options.decoder_attention.pruned_heads(options.decoder_layers) +
                      options.cross_attention.pruned_heads(options.decoder_layers);
  if (pruned > 0)
    std::cout << counted(pruned, "head") << (pruned == 1 ? " is" : " are")
              << " pruned; layers are shown with all heads\n";
  write_part(concat("encoder (", counted(options.encoder_layers, "layer"), ")"), count.encoder);
  write_part("  one layer", count.encoder_layer);
  write_layer(count.encoder_sublayers, count.norm);
  write_part(concat("decoder (", counted(options.decoder_layers, "layer"), ")"), count.decoder);
  write_part("  one layer", count.decoder_layer);
  write_layer(count.decoder_sublayers, count.norm);
  write_part("generator", count.generator);
  write_part("total", count.total);
  for (const auto sharing :
       {ShareEmbeddings::all, ShareEmbeddings::target_output, ShareEmbeddings::none}) {
    if (sharing == ShareEmbeddings::all && vocabulary.source != vocabulary.target) continue;
    auto other = options;
    other.share_embeddings = sharing;
    write_part(concat("total, share_embeddings ", option_text(sharing)),
               parameter_count(other, vocabulary).total);
  }
}

std::int64_t weight_count(const SafetensorsFile& weights) {
  std::int64_t total = 0;
  for (const auto& tensor : weights.tensors()) total += numbers_of(tensor);
  return total;
}

void write_weight_table(const SafetensorsFile& weights) {
  std::vector<std::pair<std::string, std::int64_t>> modules;
  for (const auto& tensor : weights.tensors()) {
    const auto name = module_of(tensor.name);
    if (modules.empty() || modules.back().first != name) modules.emplace_back(name, 0);
    modules.back().second += numbers_of(tensor);
  }
  std::cout << std::left << std::setw(part_width) << "parameters" << std::right
            << std::setw(number_width) << "total" << '\n';
  modules.emplace_back("total", weight_count(weights));
  for (const auto& [name, numbers] : modules)
    std::cout << std::left << std::setw(part_width) << name << std::right << std::setw(number_width)
              << grouped(numbers) << '\n';
}

}  // namespace dragoman::app
