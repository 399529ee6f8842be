#pragma once

#include "dragoman/model/add_norm.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/model/decoder_state.h"
#include "dragoman/model/feed_forward.h"
#include "dragoman/model/multi_head_attention.h"
#include "dragoman/model/recurrence.h"

#include <memory>

namespace dragoman {

/// Whether a decoder attends to an encoder's memory; that of a language model does not.
enum class MemoryUse { attended, none };

/// Masked self-attention, encoder-decoder attention and feed-forward network, each inside "Add &
/// Norm" (section 3.1, right half of figure 1). `options.decoder_layer` may replace self-attention
/// by a recurrence, such as that of Bahdanau et al. (2015).
class DecoderLayerImpl : public torch::nn::Module {
 public:
  /// \param attention options of its self-attention
  /// \param cross options of its encoder-decoder attention
  explicit DecoderLayerImpl(const ModelOptions& options, const LayerAttention& attention = {},
                            const LayerAttention& cross = {},
                            MemoryUse memory_use = MemoryUse::attended);

  /// A whole sentence (teacher forcing).
  /// \param x [batch, target_len, d_model]
  /// \param memory [batch, source_len, d_model]; ignored without encoder-decoder attention
  /// \param record the attention weights are appended to it, if given
  /// \return [batch, target_len, d_model]
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory,
                        const AttentionMask& self_mask, const AttentionMask& memory_mask,
                        AttentionRecord* record = nullptr);

  /// Keys and values of `memory` [sentences, source_len, d_model] for `step`; nothing without
  /// encoder-decoder attention.
  KeyValue project_memory(const torch::Tensor& memory);

  /// Advances each row by one token.
  /// \param x [rows, 1, d_model]
  /// \param state this layer's; grows by one position
  /// \param maps the weights of encoder-decoder attention, [sentences, num_heads, beam,
  ///     source_len], are appended to it, if given
  /// \return [rows, 1, d_model]
  torch::Tensor step(const torch::Tensor& x, DecoderState::Layer& state,
                     const AttentionMask& memory_mask, std::vector<at::Tensor>* maps = nullptr);

 private:
  /// Self-attention of whole sentences `x`, and of each row's next token. \param normed `x`, in a
  /// pre-norm layer normalised
  torch::Tensor self_attend(const torch::Tensor& x, const torch::Tensor& normed,
                            const AttentionMask& mask, std::vector<at::Tensor>* maps);
  torch::Tensor attend_past(const torch::Tensor& x, const torch::Tensor& normed, Past& past);
  Recurrence::Norm recurrence_input();
  torch::Tensor feed_forward(const torch::Tensor& x);

  bool norm_later_keys_;
  MultiHeadAttention self_attention_{nullptr};
  AddNorm self_attention_norm_{nullptr};
  std::shared_ptr<Recurrence> recurrence_;
  AddNorm recurrence_norm_{nullptr};
  MultiHeadAttention memory_attention_{nullptr};
  AddNorm memory_attention_norm_{nullptr};
  FeedForward feed_forward_{nullptr};
  AddNorm feed_forward_norm_{nullptr};
};

TORCH_MODULE(DecoderLayer);

}  // namespace dragoman
