#include "dragoman/train/estimate.h"

#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/model/flops.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/worker_pool.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace dragoman {

namespace {

constexpr double pieces_per_word = 1.3;
constexpr double use_of_peak = 0.4;

/// Numbers that a stack keeps of one token: all of its layers', or the borders of segments and what
/// one of these computes again.
double stack_activations(std::int64_t layers, std::int64_t segment, double of_layer, double of_border) {
  const auto count = static_cast<double>(layers);
  if (segment == 0) return count * of_layer;
  const auto together = static_cast<double>(std::min(segment, layers));
  return std::ceil(count / together) * of_border + together * of_layer;
}

/// What an attention, an LSTM (four gates before and behind their functions, cell, state) and a
/// convolution leave for the backward pass, and the rest of a layer, in numbers per feature.
constexpr double of_attention = 6.0, of_lstm = 12.0, of_convolution = 3.0, of_rest = 4.0;

double mixing_activations(const ModelOptions& model, StackSide side) {
  const double mixing = model.has_self_attention(side) ? of_attention : 0.0;
  if (side == StackSide::decoder) return mixing > 0.0 ? mixing : of_lstm;
  const double recurrence = model.encoder_layer == EncoderLayerKind::lstm ? of_lstm : 0.0;
  return mixing + recurrence + (model.has_convolution() ? of_convolution : 0.0);
}

/// Numbers that one token leaves for the backward pass, by the shapes of the layers.
double activations_per_token(const ModelOptions& model, const TrainOptions& train) {
  const auto d = static_cast<double>(model.d_model);
  const auto ff = static_cast<double>(model.d_ff);
  const auto of_stack = [&](std::int64_t layers, double features) {
    return stack_activations(layers, train.recomputed_layers(layers), features * d + 2.0 * ff, d);
  };
  const double of_encoder = mixing_activations(model, StackSide::encoder) + of_rest;
  const double of_decoder = mixing_activations(model, StackSide::decoder) + of_attention + of_rest;
  return of_stack(model.encoder_layers, of_encoder) + of_stack(model.decoder_layers, of_decoder) +
         4.0 * d;
}

double product_gflops(std::int64_t n, at::ScalarType type, double seconds) {
  const torch::NoGradGuard no_gradients;
  const auto a = torch::ones({n, n}, type);
  auto out = torch::mm(a, a);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double products = 0.0;
  while (elapsed() < seconds) {
    at::mm_out(out, a, a);
    ++products;
  }
  return products * 2.0 * static_cast<double>(n * n * n) / elapsed() / 1e9;
}

}  // namespace

double measure_matmul_gflops(std::int64_t threads, double seconds, Precision precision) {
  WorkerPool pool(threads);
  const auto type = precision == Precision::bf16 ? torch::kBFloat16 : torch::kFloat32;
  double best = 0.0;
  for (const std::int64_t n : {512, 1024, 2048}) {
    std::vector<double> gflops(static_cast<std::size_t>(threads));
    pool.run([&](std::int64_t worker) {
      gflops[static_cast<std::size_t>(worker)] = product_gflops(n, type, seconds / 3.0);
    });
    best = std::max(best, std::accumulate(gflops.begin(), gflops.end(), 0.0));
  }
  return best;
}

TrainingEstimate estimate_training(const RunOptions& options, const Preflight& texts) {
  double source_words = 0.0, target_words = 0.0, pairs = 0.0;
  const auto& weights = options.data.weights;
  for (std::size_t i = 0; i < texts.training.size(); ++i) {
    const auto& files = texts.training[i];
    const double weight = weights.empty() ? 1.0 : weights[i];
    source_words += weight * static_cast<double>(files.source.words);
    target_words += weight * static_cast<double>(files.target.words);
    pairs += weight * static_cast<double>(files.pairs);
  }
  pairs = std::max(pairs, 1.0);
  TrainingEstimate estimate;
  const auto vocabulary = options.tokenizer.vocab_size;
  estimate.parameters = 
      parameter_count(options.model, {.source = vocabulary, .target = vocabulary}).total.total();
  const double source_pieces = source_words * pieces_per_word + pairs;
  estimate.pieces_per_epoch = target_words * pieces_per_word + pairs;
  const auto batch = static_cast<double>(options.train.batch_tokens * options.train.accumulate);
  estimate.updates_per_epoch = std::ceil(std::max(source_pieces, estimate.pieces_per_epoch) / batch);
  const auto length = [pairs](double pieces) { return static_cast<std::int64_t>(std::ceil(pieces / pairs)); };
  estimate.flops_per_epoch = 3.0 * pairs *
                             forward_flops(options.model, vocabulary, length(source_pieces),
                                           length(estimate.pieces_per_epoch));
  const auto workers = worker_count(find_device(options.train.device), options.train.workers);
  const auto copies = 3.0 + static_cast<double>(workers);  // weights, two moments, gradients
  const double tokens = static_cast<double>(options.train.batch_tokens);
  estimate.memory_mb = (static_cast<double>(estimate.parameters) * 4.0 * copies +
                        tokens * activations_per_token(options.model, options.train) * 4.0) / 1048576.0 + 200.0;
  estimate.matmul_gflops = measure_matmul_gflops(workers, 0.2);
  estimate.seconds_per_epoch = estimate.flops_per_epoch / (use_of_peak * estimate.matmul_gflops * 1e9);
  return estimate;
}

std::string TrainingEstimate::text() const {
  char lines[600];
  std::snprintf(lines, sizeof lines,
                "estimate: %lld parameters; an epoch has about %.0f target pieces in %.0f updates, "
                "%.3g FLOPs, %s at 40 %% of the %.0f GFLOP/s measured here; memory about %.0f MiB",
                static_cast<long long>(parameters), pieces_per_epoch, updates_per_epoch, flops_per_epoch,
                duration_text(seconds_per_epoch).c_str(), matmul_gflops, memory_mb);
  return lines;
}

nlohmann::json TrainingEstimate::json() const {
  return {{"parameters", parameters},
          {"target_pieces_per_epoch", pieces_per_epoch},
          {"updates_per_epoch", updates_per_epoch},
          {"flops_per_epoch", flops_per_epoch},
          {"memory_mb", memory_mb},
          {"matmul_gflops", matmul_gflops},
          {"seconds_per_epoch", seconds_per_epoch}};
}

TrainingCheck check_training(const RunOptions& options) {
  const auto texts = check_texts(options.data);
  TrainingCheck check{.text = texts.text(), .json = texts.json(), .usable = texts.problems.empty()};
  if (!check.usable) return check;
  const auto estimate = estimate_training(options, texts);
  check.text += estimate.text();
  check.json["estimate"] = estimate.json();
  return check;
}

}  // namespace dragoman
