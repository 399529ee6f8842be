#include "dragoman/train/memory_estimate.h"

#include "dragoman/attention/fused.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/training_setup.h"
#include "dragoman/train/worker_share.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

constexpr double process_mb = 200.0;  // LibTorch, loaded

/// Numbers that a stack keeps for one token: those of all its layers, or the inputs of all segments
/// and what one segment recomputes.
double stack_activations(std::int64_t layers, std::int64_t segment, double of_layer,
                         double of_border) {
  const auto count = static_cast<double>(layers);
  if (segment == 0) return count * of_layer;
  const auto together = static_cast<double>(std::min(segment, layers));
  return std::ceil(count / together) * of_border + together * of_layer;
}

/// What an attention, an LSTM (four gates before and after their functions, cell, state) and a
/// convolution keep for the backward pass, and the rest of a layer, in numbers per feature.
constexpr double of_attention = 6.0, of_lstm = 12.0, of_convolution = 3.0, of_rest = 4.0;

double mixing_activations(const ModelOptions& model, StackSide side) {
  const double mixing = model.has_self_attention(side) ? of_attention : 0.0;
  if (side == StackSide::decoder) return mixing > 0.0 ? mixing : of_lstm;
  const double recurrence = model.encoder_layer == EncoderLayerKind::lstm ? of_lstm : 0.0;
  return mixing + recurrence + (model.has_convolution() ? of_convolution : 0.0);
}

/// Numbers that are kept of one token for the backward pass, by the shapes of the layers.
/// \param keys whose weights each full attention keeps, before and after dropout
double activations_per_token(const ModelOptions& model, const TrainOptions& train, ModelKind kind,
                             std::int64_t keys) {
  const bool has_encoder = kind != ModelKind::language_model;
  const bool has_decoder = kind != ModelKind::classifier;
  const auto d = static_cast<double>(model.d_model);
  const auto of_stack = [&](std::int64_t layers, double numbers, std::int64_t d_ff) {
    const auto ff = static_cast<double>(d_ff);
    return stack_activations(layers, train.recomputed_layers(layers), numbers + 2.0 * ff, d) +
           2.0 * d;  // embeddings
  };
  const auto weights_of = [&](const StackAttention& attention, StackSide side) {
    const bool as_full =
        attention.has(AttentionKind::fused_torch) && model.attention_dropout_rate() > 0.0;
    return attention.has(AttentionKind::full) || as_full
               ? 2.0 * static_cast<double>(model.heads_of(side) * keys)
               : 0.0;
  };
  double of_encoder = (mixing_activations(model, StackSide::encoder) + of_rest) * d;
  double of_decoder = (mixing_activations(model, StackSide::decoder) + of_rest) * d;
  if (model.has_self_attention(StackSide::encoder))
    of_encoder += weights_of(model.encoder_attention, StackSide::encoder);
  if (model.has_self_attention(StackSide::decoder))
    of_decoder += weights_of(model.decoder_attention, StackSide::decoder);
  if (has_encoder)
    of_decoder += of_attention * d + weights_of(model.cross_attention, StackSide::decoder);
  double numbers = 0.0;
  if (has_encoder) numbers += of_stack(model.encoder_layers, of_encoder, model.d_ff);
  if (has_decoder)
    numbers += of_stack(model.decoder_layers, of_decoder, model.decoder_inner_width());
  return numbers;
}

}  // namespace

double bytes_of_number(Precision precision) {
  return static_cast<double>(at::elementSize(weight_dtype(precision)));
}

double numbers_per_weight(const TrainOptions& options) {
  return options.ema_decay > 0.0 ? 4.0 : 3.0;
}

double calculated_memory_mb(const RunOptions& options, const TrainedModel& model,
                            std::int64_t processes, std::int64_t longest) {
  const auto device = find_device(options.train.device);
  const auto workers = plan_workers(options.train, device, model.parameters, processes).workers;
  // On a CPU, all of these are copied while a checkpoint is written. Each worker has a gradient.
  const auto copies = (device.is_cpu() ? 2.0 : 1.0) * numbers_per_weight(options.train) +
                      static_cast<double>(workers);
  const auto tokens = static_cast<double>(options.train.passes() * options.train.batch_tokens);
  const auto keys = std::min(longest, options.train.batch_tokens);
  const bool keeps_weights = device.is_cpu() && keys > longest_fused_attention;
  const auto numbers = static_cast<double>(model.parameters) * copies +
                       tokens * activations_per_token(options.model, options.train, model.kind,
                                                      keeps_weights ? keys : 0);
  const double bytes = numbers * bytes_of_number(options.train.precision);
  return static_cast<double>(processes) * (bytes / mebibyte + process_mb);
}

std::optional<std::string> memory_warning(const RunOptions& options, double memory_mb,
                                          std::optional<std::int64_t> available,
                                          std::int64_t processes) {
  if (!available || !find_device(options.train.device).is_cpu()) return std::nullopt;
  const double bytes = memory_mb * mebibyte;
  if (bytes <= static_cast<double>(*available)) return std::nullopt;
  const auto who = processes == 1 ? std::string("this training needs")
                                  : concat("the ", processes, " processes on this host need");
  return concat("memory: ", who, " about ", bytes_text(bytes), ", but only ",
                bytes_text(static_cast<double>(*available)),
                " are free, so it will probably be killed; lower train.batch_tokens (and raise "
                "train.accumulate), set train.recompute=all, or choose a smaller model");
}

}  // namespace dragoman
