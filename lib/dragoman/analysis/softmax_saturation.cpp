#include "dragoman/analysis/softmax_saturation.h"

#include "dragoman/model/attention_record.h"

#include <torch/nn.h>

namespace dragoman {

namespace {

void add_layers(const std::vector<at::Tensor>& layers, const at::Tensor& counted, Saturation& sum) {
  for (const auto& weights : layers) {
    const auto of_layer = saturation_of(weights, counted);
    sum.rows += of_layer.rows;
    sum.saturated += of_layer.saturated;
  }
}

/// The real queries of sentences with at least two keys.
at::Tensor with_choice(const at::Tensor& queries, const at::Tensor& keys) {
  return queries & (keys.sum(-1, /*keepdim=*/true) > 1);
}

/// The real queries of the decoder except the first, which sees only itself.
at::Tensor behind_first(const at::Tensor& queries) {
  auto counted = queries.clone();
  counted.select(1, 0).fill_(false);
  return counted;
}

}  // namespace

double Saturation::share() const {
  return rows > 0 ? static_cast<double>(saturated) / static_cast<double>(rows) : 0.0;
}

Saturation saturation_of(const at::Tensor& weights, const at::Tensor& counted, double threshold) {
  const auto real = counted.unsqueeze(1);  // [batch, 1, query_len]
  const auto largest = weights.detach().amax(-1);
  return {.rows = counted.sum().item<std::int64_t>() * weights.size(1),
          .saturated = ((largest >= threshold) & real).sum().item<std::int64_t>()};
}

Saturation softmax_saturation(Transformer model, std::span<const Batch> batches) {
  const torch::NoGradGuard no_gradient;
  model->eval();
  Saturation sum;
  for (const auto& batch : batches) {
    AttentionRecord record;
    const auto memory = model->encode(batch.source, batch.source_mask, &record);
    model->decode(batch.target_input, memory, batch.source_mask, &record);
    add_layers(record.encoder_self, with_choice(batch.source_mask, batch.source_mask), sum);
    add_layers(record.decoder_self, behind_first(batch.target_mask), sum);
    add_layers(record.cross, with_choice(batch.target_mask, batch.source_mask), sum);
  }
  return sum;
}

}  // namespace dragoman
