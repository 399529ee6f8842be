#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/config/model_options.h"
#include "dragoman/model/linear.h"

#include <torch/nn.h>

#include <memory>
#include <vector>

namespace dragoman {

/// Multi-head attention (section 3.2.2): projections, `num_heads` attentions, one output
/// projection.
///
/// Keys and values are made by `project` and read by `forward`, so that one set of weights serves
/// training (project the sentence once), step-by-step decoding (append the projection of each new
/// token) and encoder-decoder attention (project memory once).
///
/// The projections have rows only for the heads that pruning left. Without any head, the output is
/// the bias of W_O.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  /// \param attention how its heads attend, and which of them remain
  explicit MultiHeadAttentionImpl(const ModelOptions& options,
                                  const LayerAttention& attention = {});

  /// \param memory [batch, source_len, d_model]
  /// \return [batch, num_heads, source_len, d_k] and [.., d_v]
  /// \throws ContractError if `memory` has another shape.
  KeyValue project(const torch::Tensor& memory);

  /// \param query [batch, query_len, d_model]
  /// \param memory from `project`
  /// \param maps the weights [batch, num_heads, query_len, key_len], 0 for pruned heads, are
  ///     appended to it, if given
  /// \return [batch, query_len, d_model]
  /// \throws ContractError if `query` has another shape
  torch::Tensor forward(const torch::Tensor& query, const KeyValue& memory,
                        const AttentionMask& mask = {}, std::vector<at::Tensor>* maps = nullptr);

  /// One step of decoding: projects each row's newest token, appends it to `past` and attends.
  /// \param token [rows, 1, d_model]
  /// \param key_value_input what its key and value are made of, the same shape
  /// \return [rows, 1, d_model]
  torch::Tensor step(const torch::Tensor& token, const torch::Tensor& key_value_input, Past& past);

  /// Self-attention: `forward` with keys and values projected from the query's own sequence.
  /// \param x [batch, len, d_model]
  /// \param key_value_input what keys and values are made of, the same shape; mostly `x`
  torch::Tensor self_attend(const torch::Tensor& x, const torch::Tensor& key_value_input,
                            const AttentionMask& mask, std::vector<at::Tensor>* maps);

 private:
  torch::Tensor empty_context(const torch::Tensor& query) const;
  torch::Tensor output_of(const torch::Tensor& context, const torch::Tensor& query);
  torch::Tensor with_pruned_heads(const torch::Tensor& weights) const;

  std::int64_t d_model_, d_k_, d_v_;
  std::int64_t all_heads_;           ///< of the model
  std::vector<std::int64_t> heads_;  ///< the heads that remain
  std::int64_t num_heads_;           ///< their number
  AttentionSettings settings_;
  Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  std::shared_ptr<const Attention> attention_;
};

TORCH_MODULE(MultiHeadAttention);

}  // namespace dragoman
