#include "dragoman/train/estimate.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/worker_pool.h"
#include "dragoman/train/training_setup.h"
#include "dragoman/train/worker_share.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

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
double activations_per_token(const ModelOptions& model, const TrainOptions& train) {
  const auto d = static_cast<double>(model.d_model);
  const auto of_stack = [&](std::int64_t layers, double features, std::int64_t d_ff) {
    const auto ff = static_cast<double>(d_ff);
    return stack_activations(layers, train.recomputed_layers(layers), features * d + 2.0 * ff, d);
  };
  const double of_encoder = mixing_activations(model, StackSide::encoder) + of_rest;
  const double of_decoder = mixing_activations(model, StackSide::decoder) + of_attention + of_rest;
  return of_stack(model.encoder_layers, of_encoder, model.d_ff) +
         of_stack(model.decoder_layers, of_decoder, model.decoder_inner_width()) + 4.0 * d;
}

double product_gflops(std::int64_t n, const at::TensorOptions& type, double seconds) {
  const torch::NoGradGuard no_gradients;
  // Equal numbers draw less power, so a GPU would look faster than it is in training.
  const auto a = (at::rand({n, n}, at::detail::createCPUGenerator()) - 0.5).to(type);
  auto out = torch::mm(a, a);
  const auto start = std::chrono::steady_clock::now();
  double products = 0.0;
  while (seconds_since(start) < seconds) {
    at::mm_out(out, a, a);
    if (!type.device().is_cpu()) out[0][0].item<double>();  // waits for it
    ++products;
  }
  return products * 2.0 * static_cast<double>(n * n * n) / seconds_since(start) / 1e9;
}

}  // namespace

double measure_matmul_gflops(std::int64_t threads, double seconds, Precision precision,
                             const c10::Device& device) {
  WorkerPool pool(threads);
  const auto type = torch::TensorOptions(precision == Precision::bf16 ? torch::kBFloat16
                                                                      : weight_dtype(precision))
                        .device(device);
  const auto sizes = device.is_cpu() ? std::array<std::int64_t, 3>{512, 1024, 2048}
                                     : std::array<std::int64_t, 3>{1024, 4096, 8192};
  double best = 0.0;
  for (const auto n : sizes) {
    std::vector<double> gflops(static_cast<std::size_t>(threads));
    pool.run([&](std::int64_t worker) {
      gflops[static_cast<std::size_t>(worker)] = product_gflops(n, type, seconds / 3.0);
    });
    best = std::max(best, std::accumulate(gflops.begin(), gflops.end(), 0.0));
  }
  return best;
}

double bytes_of_number(Precision precision) {
  return static_cast<double>(at::elementSize(weight_dtype(precision)));
}

double numbers_per_weight(const TrainOptions& options) {
  return options.ema_decay > 0.0 ? 4.0 : 3.0;
}

double calculated_memory_mb(const RunOptions& options, const VocabularySizes& vocabulary,
                            std::int64_t processes) {
  const auto parameters = parameter_count(options.model, vocabulary).total.total();
  const auto device = find_device(options.train.device);
  const auto workers = plan_workers(options.train, device, parameters, processes).workers;
  // On a CPU, all of these are copied while a checkpoint is written. Each worker has a gradient.
  const auto copies = (device.is_cpu() ? 2.0 : 1.0) * numbers_per_weight(options.train) +
                      static_cast<double>(workers);
  const auto tokens = static_cast<double>(options.train.passes() * options.train.batch_tokens);
  const auto numbers = static_cast<double>(parameters) * copies +
                       tokens * activations_per_token(options.model, options.train);
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

TrainingBudget budget_of(const TrainOptions& options, const TrainingEstimate& estimate,
                         bool validates, const TrainingDone& done) {
  const double in_epoch = std::max(estimate.updates_per_epoch, 1.0);
  const auto each = [in_epoch](std::int64_t interval) {
    return interval > 0 ? static_cast<double>(interval) : in_epoch;
  };
  double per_update = estimate.seconds_per_epoch / in_epoch;
  if (validates)
    per_update += (estimate.seconds_per_validation + estimate.seconds_per_save) /
                  each(options.validate_every);
  if (!validates || options.checkpoint_every != options.validate_every)
    per_update += estimate.seconds_per_save / each(options.checkpoint_every);
  TrainingBudget budget;
  budget.updates = std::numeric_limits<double>::infinity();
  const auto limit = [&budget](double updates, const char* option) {
    if (updates >= budget.updates) return;
    budget.updates = std::max(0.0, updates);
    budget.limit = option;
  };
  limit(static_cast<double>(options.max_steps) - done.updates, "train.max_steps");
  if (options.max_epochs > 0)
    limit((static_cast<double>(options.max_epochs) - done.epochs) * in_epoch, "train.max_epochs");
  if (options.max_seconds > 0.0 && per_update > 0.0)
    limit(std::ceil((options.max_seconds - done.seconds) / per_update), "train.max_seconds");
  budget.epochs = budget.updates / in_epoch;
  budget.seconds = budget.updates * per_update;
  return budget;
}

nlohmann::json TrainingBudget::json() const {
  return {{"updates", updates}, {"epochs", epochs}, {"seconds", seconds}, {"limit", limit}};
}

nlohmann::json TrainingEstimate::json() const {
  return {{"parameters", parameters},
          {"pairs_per_epoch", pairs_per_epoch},
          {"target_pieces_per_epoch", pieces_per_epoch},
          {"updates_per_epoch", updates_per_epoch},
          {"flops_per_epoch", flops_per_epoch},
          {"memory_mb", memory_mb},
          {"matmul_gflops", matmul_gflops},
          {"seconds_per_epoch", seconds_per_epoch},
          {"measured", measured},
          {"measured_updates", measured_updates},
          {"workers", workers},
          {"seconds_per_validation", seconds_per_validation},
          {"seconds_per_save", seconds_per_save},
          {"checkpoint_bytes", checkpoint_bytes},
          {"disk_bytes", disk_bytes}};
}

}  // namespace dragoman
