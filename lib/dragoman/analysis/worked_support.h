#pragma once

#include "dragoman/attention/full.h"

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

/// Helpers for writing the worked examples.
namespace dragoman::worked {

inline constexpr const char* guide = "\"Attention Is All You Need: Complete Guide\"";
inline constexpr const char* self_attention = "\"Self-Attention: Complete Deep Dive\"";
inline constexpr const char* transformers = "\"All About Transformers: Deep Dive\"";
inline constexpr const char* understanding = "\"Understanding Attention in Transformers\"";

inline at::Tensor scalar(double x) { return torch::tensor(x, torch::kDouble); }

inline at::Tensor vector(const std::vector<double>& x) { return torch::tensor(x, torch::kDouble); }

inline at::Tensor matrix(std::initializer_list<std::vector<double>> rows) {
  std::vector<at::Tensor> tensors;
  for (const auto& row : rows) tensors.push_back(vector(row));
  return at::stack(tensors);
}

/// The program's own attention for one head without a batch axis.
/// \param query, key [len, d_k] \param value [len, d_v]
inline AttentionResult attend(const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, double scale) {
  const auto whole = [](const at::Tensor& x) { return x.unsqueeze(0).unsqueeze(0); };
  const auto result =
      scaled_dot_product_attention(whole(query), {whole(key), whole(value)}, {},
                                   {.scale = scale, .need_weights = NeedWeights::yes});
  return {result.context[0][0], result.weights[0][0]};
}

inline double inverse_root(std::int64_t d_k) { return 1.0 / std::sqrt(static_cast<double>(d_k)); }

}  // namespace dragoman::worked
