#pragma once

#include "dragoman/data/stream.h"
#include "dragoman/distributed/gradient_reducer.h"
#include "dragoman/optimizer/flat_parameters.h"
#include "dragoman/tensor/worker_pool.h"
#include "dragoman/train/trainable.h"
#include "dragoman/train/update_sums.h"
#include "dragoman/train/worker_share.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace dragoman {

/// Seconds spent in the parts of training, summed over workers that run in parallel.
struct PartSeconds {
  double data = 0.0;  ///< waiting for the next update
  double forward = 0.0;
  double loss = 0.0;
  double backward = 0.0;
  double optimizer = 0.0;  ///< summing gradients, clipping, Adam

  PartSeconds& operator+=(const PartSeconds& other);
};

/// One thread of data parallel training: a replica of the model that shares the weights with all
/// others, and a gradient of its own.
struct Worker {
  std::size_t place;   ///< among the workers of this process
  std::int64_t index;  ///< among those of all ranks
  c10::Device device;
  Precision precision;
  std::shared_ptr<Trainable> model;
  at::Tensor gradient;  ///< [size], flat; the gradients of the model's parameters are views of it
  bool completes_gradient = false;  ///< the next backward pass is the last of the update
  LossTally losses = {};
  PartSeconds seconds = {};
};

/// Forward pass and loss of a batch from the host, in the worker's precision.
Loss loss_of(Worker& worker, const Batch& batch);

/// Data parallel training: the workers of this process and, after `join`, those of the other ranks.
class DataParallel {
 public:
  /// Moves the parameters of `model`, which is on its device, into one vector that all workers
  /// share.
  /// \param options precision and recomputation
  DataParallel(std::shared_ptr<Trainable> model, const TrainOptions& options,
               const WorkerPlan& plan);

  /// Makes these workers part of a group: from now on `all_reduce` sums over all ranks, and a part
  /// of the gradient is sent as soon as backward has completed it.
  /// \param group must outlive this object
  /// \param share which of the group's workers these are
  void join(Communicator& group, const WorkerShare& share);

  /// Begins an update: calls `task` for each worker, on its thread, with the model in training
  /// mode.
  /// \throws what the first of them threw
  void each(const std::function<void(Worker&)>& task);

  /// Ends it: `gradient()` is then the sum of all workers' gradients. Collective in a group.
  /// \return the sums of the workers' losses and the ranks' counts, the same on each rank
  UpdateSums all_reduce(const UpdateCounts& counts);

  /// The same for one worker that is alone: its losses stay where they are, and nothing waits for
  /// them.
  LossTally take_losses();

  /// The loss in evaluation mode, without gradient; the workers of all ranks share the batches.
  /// Collective in a group.
  /// \param stop asked before each batch
  /// \return none if `stop` was true on any rank
  std::optional<PassSums> evaluate(const std::vector<Batch>& batches,
                                   const std::function<bool()>& stop = {});

  at::Tensor& gradient() { return workers_.front().gradient; }
  at::Tensor& weights() { return parameters_.values(); }  ///< [size], flat
  FlatParameters& parameters() { return parameters_; }
  Trainable& model() { return *workers_.front().model; }
  WorkerPool& pool() { return pool_; }
  PartSeconds& seconds() { return seconds_; }

 private:
  void share_bf16_weights();
  void round_weights();

  FlatParameters parameters_;
  std::vector<Worker> workers_;
  at::Tensor bf16_values_;  ///< the parameters in bf16 if products read them so, else undefined
  WorkerPool pool_;
  Communicator* group_ = nullptr;  ///< null = there are no other workers
  WorkerShare share_;
  std::unique_ptr<GradientReducer> reducer_;
  PartSeconds seconds_;
};

}  // namespace dragoman
