#include "dragoman/inference/engine_recurrence.h"

#include "dragoman/kernels/recurrence_rows.h"

#include <algorithm>

namespace dragoman {

namespace {

/// Section 3 of Kim et al. 2019: `model/ssru`.
void read_ssru(const SsruWeights& weights, const LayerRows& x, const RecurrenceRows& states,
               EngineWorkspace& workspace, const ProductResult& result) {
  const auto d_model = weights.input.outputs(), numbers = x.rows * d_model;
  float* candidate = workspace.recurrence[0].of_size(numbers);
  float* forget = workspace.recurrence[1].of_size(numbers);
  workspace.pack(x.normed, x.rows, weights.input);
  workspace.multiply_packed(weights.input, {.c = candidate});
  workspace.multiply_packed(weights.forget, {.c = forget});
  for (std::int64_t r = 0; r < x.rows; ++r)
    ssru_state(forget + r * d_model, candidate + r * d_model,
               states.previous[static_cast<std::size_t>(r)], d_model, states.after + r * d_model);
  std::transform(states.after, states.after + numbers, candidate,
                 [](float cell) { return std::max(cell, 0.0F); });
  if (weights.output.outputs() > 0)
    return workspace.multiply(weights.output, candidate, x.rows, result);
  scale_and_add(candidate, 1.0F, result.residual, numbers, result.c);
}

/// The states are sums. \return the means, [rows, d_model]
float* mean_rows(const LayerRows& x, std::int64_t d_model, const RecurrenceRows& states,
                 Buffer& means) {
  float* mean = means.of_size(x.rows * d_model);
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    float* sum = states.after + r * d_model;
    scale_and_add(x.x + r * d_model, 1.0F, states.previous[row], d_model, sum);
    scale_and_add(sum, 1.0F / static_cast<float>(states.positions[row] + 1), nullptr, d_model,
                  mean + r * d_model);
  }
  return mean;
}

/// Section 3 of Zhang, Xiong and Su 2018: `model/average_attention`.
void read_average(const AverageAttentionWeights& weights, const LayerRows& x,
                  const LayerNormWeights& norm, const RecurrenceRows& states,
                  EngineWorkspace& workspace, const ProductResult& result) {
  const auto& options = workspace.weights().options;
  const auto d_model = options.d_model, numbers = x.rows * d_model;
  auto& buffers = workspace.recurrence;
  float* y = mean_rows(x, d_model, states, buffers[0]);
  if (options.norm == NormPosition::pre) layer_norm_rows(y, x.rows, d_model, norm.norm(), y);
  std::size_t free = 1;
  const auto next_buffer = [&](const PackedMatrix& matrix) {
    auto& buffer = buffers[free];
    free = 1 - free;
    return buffer.of_size(x.rows * matrix.outputs());
  };
  for (const auto& matrix : weights.inner) {
    float* next = next_buffer(matrix);
    workspace.multiply(matrix, y, x.rows, options.average_activation, next);
    y = next;
  }
  if (weights.outer.outputs() > 0) {
    float* next = next_buffer(weights.outer);
    workspace.multiply(weights.outer, y, x.rows, {.c = next});
    y = next;
  }
  if (weights.input_gate.outputs() > 0) {
    float* of_input = buffers[2].of_size(numbers);
    float* of_mean = buffers[free].of_size(numbers);
    workspace.multiply(weights.input_gate, x.x, x.rows, {.c = of_input});
    workspace.multiply(weights.mean_gate, y, x.rows, {.c = of_mean});
    gated_sum(of_input, x.x, of_mean, y, numbers, y);
  }
  scale_and_add(y, 1.0F, result.residual, numbers, result.c);
}

}  // namespace

RecurrenceRows RecurrenceRows::of_sentences(std::span<const RowRange> sentences,
                                            std::int64_t d_model, float* states) {
  RecurrenceRows rows{.after = states};
  for (const auto& sentence : sentences)
    for (std::int64_t position = 0; position < sentence.count; ++position) {
      const auto row = sentence.first + position;
      rows.previous.push_back(position == 0 ? nullptr : states + (row - 1) * d_model);
      rows.positions.push_back(position);
    }
  return rows;
}

void recur(const RecurrenceWeights& weights, const LayerRows& x, const LayerNormWeights& norm,
           const RecurrenceRows& states, EngineWorkspace& workspace, const ProductResult& result) {
  if (const auto* ssru = std::get_if<SsruWeights>(&weights))
    read_ssru(*ssru, x, states, workspace, result);
  else
    read_average(std::get<AverageAttentionWeights>(weights), x, norm, states, workspace, result);
}

}  // namespace dragoman
