#include "dragoman/complexity/layer_probe.h"

#include "dragoman/attention/factory.h"
#include "dragoman/model/feed_forward.h"
#include "dragoman/model/multi_head_attention.h"

#include <torch/nn.h>

#include <cmath>

namespace dragoman {

namespace {

constexpr std::int64_t weights_limit_mb = 1 << 16;

ModelOptions model_options(const LayerSizes& sizes) {
  ModelOptions options;
  options.d_model = sizes.d_model;
  options.num_heads = sizes.num_heads;
  options.d_ff = sizes.d_ff;
  options.dropout = 0.0;
  return options;
}

LayerProbe attention_core(AttentionKind kind, const LayerSizes& sizes) {
  const auto attention =
      make_attention({.kind = kind, .radius = sizes.radius, .limit_mb = weights_limit_mb});
  const double scale = 1.0 / std::sqrt(static_cast<double>(sizes.d_model / sizes.num_heads));
  const auto run = [attention, scale, heads = sizes.num_heads](const at::Tensor& x) {
    const auto split = x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
    const auto mask = AttentionMask::structured({}, /*causal=*/false);
    const auto context = attention->attend(split, {split, split}, mask, {.scale = scale}).context;
    return context.transpose(1, 2).reshape(x.sizes());
  };
  return {run, {}};
}

LayerProbe four_maps(const LayerSizes& sizes, at::ScalarType type) {
  const auto map = [&] {
    Linear linear(LinearOptions{.inputs = sizes.d_model, .outputs = sizes.d_model});
    linear->to(type);
    return linear;
  };
  const auto query = map(), key = map(), value = map(), output = map();
  LayerProbe probe{
      [=](const at::Tensor& x) {
        return output->forward(query->forward(x) + key->forward(x) + value->forward(x));
      },
      {}};
  for (const auto& linear : {query, key, value, output})
    for (const auto& weight : linear->parameters()) probe.weights.push_back(weight);
  return probe;
}

/// A module of LibTorch or of this project, and how to extract its result.
template <typename Module, typename Run>
LayerProbe probe_of(Module module, at::ScalarType type, Run run) {
  module->to(type);
  return {[module, run](const at::Tensor& x) mutable { return run(module, x); },
          module->parameters()};
}

LayerProbe feed_forward_probe(const LayerSizes& sizes, at::ScalarType type) {
  return probe_of(FeedForward(model_options(sizes), sizes.d_ff), type,
                  [](FeedForward& module, const at::Tensor& x) { return module->forward(x); });
}

LayerProbe convolution_probe(const LayerSizes& sizes, at::ScalarType type) {
  const auto d = sizes.d_model;
  return probe_of(torch::nn::Conv1d(torch::nn::Conv1dOptions(d, d, sizes.kernel)), type,
                  [before = sizes.kernel - 1](torch::nn::Conv1d& module, const at::Tensor& x) {
                    const auto padded = at::constant_pad_nd(x.transpose(1, 2), {before, 0});
                    return module->forward(padded).transpose(1, 2);
                  });
}

/// torch::nn::RNN or torch::nn::LSTM.
template <typename Module, typename Options>
LayerProbe recurrent_probe(const LayerSizes& sizes, at::ScalarType type) {
  return probe_of(
      Module(Options(sizes.d_model, sizes.d_model).batch_first(true)), type,
      [](Module& module, const at::Tensor& x) { return std::get<0>(module->forward(x)); });
}

}  // namespace

LayerProbe make_layer_probe(LayerPart part, const LayerSizes& sizes, at::ScalarType type) {
  switch (part) {
    case LayerPart::attention: return attention_core(AttentionKind::full, sizes);
    case LayerPart::local: return attention_core(AttentionKind::local, sizes);
    case LayerPart::linear: return attention_core(AttentionKind::linear, sizes);
    case LayerPart::projections: return four_maps(sizes, type);
    case LayerPart::feed_forward: return feed_forward_probe(sizes, type);
    case LayerPart::recurrent:
      return recurrent_probe<torch::nn::RNN, torch::nn::RNNOptions>(sizes, type);
    case LayerPart::lstm:
      return recurrent_probe<torch::nn::LSTM, torch::nn::LSTMOptions>(sizes, type);
    case LayerPart::convolution: return convolution_probe(sizes, type);
  }
  return {};
}

LayerProbe make_self_attention_probe(const LayerSizes& sizes) {
  return probe_of(MultiHeadAttention(model_options(sizes)), at::kFloat,
                  [](MultiHeadAttention& module, const at::Tensor& x) {
                    return module->self_attend(x, x, {}, nullptr);
                  });
}

}  // namespace dragoman
