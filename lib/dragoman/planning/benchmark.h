#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/data/stream.h"
#include "dragoman/model/transformer.h"
#include "dragoman/text/example.h"
#include "dragoman/train/update.h"

#include <c10/core/Device.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dragoman {

/// Sentence pairs of random pieces whose lengths are spread like those of Multi30k's captions:
/// about 15 source and 16 target pieces (normal, standard deviation 5), at least 4, correlated.
std::vector<Example> random_examples(std::int64_t count, std::int64_t vocab_size,
                                     const SpecialIds& special, std::uint64_t seed);

/// Speed and memory of training.
struct TrainingBenchmark {
  std::int64_t parameters = 0;
  std::int64_t workers = 0;
  std::int64_t threads = 1;  ///< of each worker
  std::int64_t updates = 0;
  double seconds = 0.0;
  double target_tokens_per_second = 0.0;  ///< real ones, EOS included
  double achieved_gflops = 0.0;           ///< of the real tokens' products, forward and backward
  double matmul_gflops = 0.0;             ///< best matrix product in the type used, all workers
  double padding = 0.0;                   ///< share of positions without a token
  std::int64_t peak_memory_mb = 0;        ///< of the host
  std::int64_t updates_per_epoch = 0;     ///< of the stream
  PartSeconds parts;                      ///< forward, loss and backward per worker; of a GPU's
                                          ///< host, which only starts them
  bool on_cpu = true;

  std::string text() const;
  nlohmann::json json() const;
};

/// What updates are made from.
struct UpdateSource {
  Examples examples;
  StreamOptions stream;      ///< `shards` is the number of workers; it counts FLOPs
  std::int64_t threads = 1;  ///< of each worker
  VocabularySizes vocabulary;
  std::int64_t least_updates =
      1;  ///< that are measured, if they take no more than five times as long
};

/// The trained model, while it exists.
struct BenchmarkedModel {
  const Transformer& model;
  std::function<UpdateResult(const UpdateData&)> update;  ///< one more
};

/// Trains a new model for `seconds` after a warm-up of a quarter of that, at least one update each;
/// nothing is kept, and `matmul_gflops` is not measured.
/// \param then called at the end
TrainingBenchmark benchmark_updates(const RunOptions& options, const UpdateSource& source,
                                    double seconds,
                                    const std::function<void(const BenchmarkedModel&)>& then = {});

/// Trains on `examples` for `seconds` after a warm-up of a quarter of that; nothing is kept.
TrainingBenchmark benchmark_training(const RunOptions& options,
                                     const std::vector<Example>& examples,
                                     const VocabularySizes& vocabulary, double seconds);

/// The best GFLOP/s that matrix products of a few sizes reach here, on `threads` threads in
/// parallel, each with products of its own. Takes about `seconds`.
/// \param device with one thread on a GPU
double measure_matmul_gflops(std::int64_t threads, double seconds, Precision precision,
                             const c10::Device& device = c10::kCPU);

}  // namespace dragoman
