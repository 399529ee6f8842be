#pragma once

#include "dragoman/config/model_options.h"

#include <torch/nn.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i + 1) = cos of the same angle
/// (section 3.5), computed in float64.
/// \param d_model even; for `halves_inclusive` at least 4
/// \param order and rates, if not those of the paper
/// \return [len, d_model] float64
torch::Tensor sinusoidal_table(std::int64_t len, std::int64_t d_model,
                               Sinusoids order = Sinusoids::interleaved);

/// Position information: the sinusoids of section 3.5, learned vectors, or none. Both sides of the
/// model share it.
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  explicit PositionalEncodingImpl(const ModelOptions& options);

  /// The vectors of positions start .. start + len - 1, each further by `position_offset`. May be
  /// called by several threads.
  /// \param like determines type and device
  /// \return [len, d_model]; undefined for `Position::none`
  /// \throws DataError if there are fewer learned positions.
  torch::Tensor forward(std::int64_t start, std::int64_t len, const torch::TensorOptions& like);

 private:
  torch::Tensor sinusoidal(std::int64_t end, const torch::TensorOptions& like);

  Position position_;
  Sinusoids sinusoids_;
  std::int64_t d_model_, offset_;
  torch::Tensor weight_;  // [max_positions, d_model], learned only

  // Sinusoids are not weights: created when first needed, extended for a longer text.
  using TableKey = std::pair<torch::ScalarType, std::string>;
  std::mutex tables_mutex_;
  std::map<TableKey, torch::Tensor> tables_;
  std::vector<torch::Tensor> outgrown_;  // tables of devices: together smaller than those in use
};

TORCH_MODULE(PositionalEncoding);

}  // namespace dragoman
