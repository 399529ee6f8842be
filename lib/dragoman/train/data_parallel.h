#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/data/batch.h"
#include "dragoman/data/stream.h"
#include "dragoman/distributed/gradient_reducer.h"
#include "dragoman/model/transformer.h"
#include "dragoman/train/flat_parameters.h"
#include "dragoman/train/label_smoothing.h"
#include "dragoman/train/loss_tally.h"
#include "dragoman/train/worker_pool.h"
#include "dragoman/train/worker_share.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dragoman {

/// Seconds spent in the parts of training, summed over workers that run in parallel.
struct PartSeconds {
  double data = 0.0;  ///< waiting for the next update
  double forward = 0.0;
  double loss = 0.0;
  double backward = 0.0;
  double optimizer = 0.0;  ///< summing gradients, clipping, Adam
};

/// The workers of data parallel training within a process: each has a replica of the model that
/// shares the weights, and its own gradients, which are summed in worker order.
class DataParallel {
 public:
  /// Moves the parameters of `model` (replica 0, already on its device) into one vector.
  DataParallel(Transformer model, const RunOptions& options, std::int64_t workers,
               const LabelSmoothing& smoothing);

  /// Makes these workers part of a group: from now on, `accumulate` sums gradients and losses over
  /// all ranks, concurrently with the backward pass, and returns the same on each.
  /// \param group must outlive this object
  /// \param share which of the group's workers these are
  void join(Communicator& group, const WorkerShare& share);

  /// Gradient of the mean loss per target token of the whole update.
  /// \param key together with the worker's index determines the random numbers of dropout
  /// \return the sums; `gradient()` contains the gradient
  PassSums accumulate(const UpdateData& update, std::uint64_t key);

  /// Loss without gradient, in evaluation mode; the workers of all ranks share the batches.
  PassSums evaluate(const std::vector<Batch>& batches);

  at::Tensor& gradient() { return gradients_.front(); }
  FlatParameters& parameters() { return parameters_; }
  Transformer& model() { return models_.front(); }
  WorkerPool& pool() { return pool_; }
  PartSeconds& seconds() { return seconds_; }

 private:
  void train_on(std::int64_t worker, const Batch& batch, double scale, LossTally& tally);
  at::Tensor loss_of(Transformer& model, const Batch& batch, LossTally& tally,
                     PartSeconds& seconds);
  void sum_gradients(PassSums& total);
  void share_bf16_weights();
  void round_weights();

  std::vector<Transformer> models_;
  Precision precision_;
  LabelSmoothing smoothing_;
  at::Device device_;
  FlatParameters parameters_;
  at::Tensor bf16_values_;  ///< the parameters in bf16 if products on a CPU read them so, else
                            ///< undefined
  std::vector<at::Tensor> gradients_;
  WorkerPool pool_;
  Communicator* group_ = nullptr;  ///< null = there are no other workers
  WorkerShare share_;
  std::unique_ptr<GradientReducer> gradient_reducer_;
  std::vector<char> last_batch_;  ///< per worker: its backward pass completes its gradient
  PartSeconds seconds_;
  std::vector<PartSeconds> worker_seconds_;
};

}  // namespace dragoman
