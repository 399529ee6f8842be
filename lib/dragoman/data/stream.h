#pragma once

#include "dragoman/data/augmentation.h"
#include "dragoman/data/batch.h"
#include "dragoman/data/epoch_plan.h"
#include "dragoman/data/update_counts.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace dragoman {

/// One process's part of an update.
struct UpdateData {
  std::vector<std::vector<Batch>> shards;  ///< [worker][accumulated batch]; may be empty
  UpdateCounts counts;                     ///< of these batches
  StreamPosition next;                     ///< the position after this update
};

/// Floating-point operations of the forward pass of a pair, by its tokens on both sides.
using PairFlops = std::function<double(std::int64_t source_len, std::int64_t target_len)>;

/// How the stream is divided into updates.
struct StreamOptions {
  BatchLimits limits;
  std::vector<CorpusShare> shares = {};  ///< none = every example once an epoch
  std::int64_t accumulate = 1;   ///< batches per update; the last of an epoch may have fewer
  std::int64_t shards = 1;       ///< workers of this process
  std::int64_t first_shard = 0;  ///< index of the first of them among those of all processes
  std::int64_t all_shards = 0;   ///< workers of all processes, which share each batch; 0 = `shards`
  TokenCosts costs = {};         ///< used to divide a batch evenly
  PairFlops flops = {};          ///< counts them; none = not counted
  std::int64_t prefetch = 4;     ///< updates that wait; one more is being made
  bool pin = false;              ///< batches are `pinned`, for a GPU
  std::uint64_t seed = 1;
  SpecialIds source_special{};
  SpecialIds target_special{};
  std::optional<Augmentation> augmentation = {};
};

/// An endless sequence of updates, epoch after epoch, each epoch in its own order, determined by
/// (seed, epoch) (see `EpochPlan`). A thread prepares them ahead of the trainer.
class TrainingStream {
 public:
  /// \param examples must outlive the stream; at least one
  /// \throws as `EpochPlan` does; DataError if the system refuses a thread
  TrainingStream(const Examples& examples, const StreamOptions& options,
                 const StreamPosition& start);
  ~TrainingStream();
  TrainingStream(const TrainingStream&) = delete;
  TrainingStream& operator=(const TrainingStream&) = delete;

  /// The next update; waits if it is not ready. \throws whatever preparing it threw.
  UpdateData next();

  /// The same; none once `cancelled`, which is asked again while it waits. The end of an epoch may
  /// have to wait for the plan of the next one.
  std::optional<UpdateData> next_unless(const std::function<bool()>& cancelled);

  /// Updates of one epoch; nearly the same in each (windows and drawn pairs differ).
  std::int64_t updates_per_epoch() const;

 private:
  void plan();
  UpdateData make();
  std::uint64_t part_key(std::int64_t batch, std::int64_t shard) const;
  std::vector<Example> read(const BatchIndices& part, std::uint64_t key) const;
  Batch batch_of(const std::vector<Example>& examples, std::uint64_t key) const;
  void count(const std::vector<Example>& examples, const Batch& batch, UpdateCounts& counts) const;
  void work();

  Examples examples_;
  StreamOptions options_;
  StreamPosition position_;
  std::optional<EpochPlan> plan_;  ///< of `position_.epoch`; none = not made yet

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<UpdateData> ready_;
  std::exception_ptr failure_;
  std::stop_source stop_;  ///< for the end of the stream
  std::int64_t updates_per_epoch_ = 0;
  std::thread thread_;
};

}  // namespace dragoman
