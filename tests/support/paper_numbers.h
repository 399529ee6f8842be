#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace test {

/// Options, by their places in a configuration, with the values of the paper's base model: table 3
/// and sections 3, 5 and 6.1. Where the paper is silent they are those of tensor2tensor or usual.
inline std::vector<std::pair<std::string, nlohmann::json>> paper_numbers() {
  return {{"/model/encoder_layers", 6},
          {"/model/decoder_layers", 6},
          {"/model/d_model", 512},
          {"/model/d_ff", 2048},
          {"/model/num_heads", 8},
          {"/model/d_k", 0},  // d_model / num_heads
          {"/model/d_v", 0},
          {"/model/dropout", 0.1},
          {"/model/activation", "relu"},
          {"/model/norm", "post"},
          {"/model/residual", true},
          {"/model/layer_norm_eps", 1e-5},
          {"/model/scale", "sqrt_dk"},
          {"/model/position", "sinusoidal"},
          {"/model/sinusoids", "interleaved"},
          {"/model/embed_scale", true},
          {"/model/share_embeddings", "all"},
          {"/model/output_bias", false},
          {"/model/encoder_attention/kind", "full"},
          {"/model/decoder_attention/kind", "full"},
          {"/model/cross_attention/kind", "full"},
          {"/train/beta1", 0.9},
          {"/train/beta2", 0.98},
          {"/train/adam_eps", 1e-9},
          {"/train/weight_decay", 0.0},
          {"/train/schedule", "noam"},
          {"/train/learning_rate", 1.0},  // a factor of the schedule
          {"/train/warmup_steps", 4000},
          {"/train/max_steps", 100000},
          {"/train/label_smoothing", 0.1},
          {"/train/label_smoothing_kind", "uniform"},
          {"/train/keep_checkpoints", 5},
          {"/search/beam_size", 4},
          {"/search/length_penalty", 0.6},
          {"/search/length_penalty_kind", "gnmt"},
          {"/search/max_length_offset", 50}};
}

}  // namespace test
