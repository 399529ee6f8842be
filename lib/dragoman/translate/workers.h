#pragma once

#include "dragoman/inference/inference_model.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace dragoman {

/// The number of workers for a requested number `asked`; 0 = so many that each of their `threads`
/// has a core, or on a GPU at most two.
std::int64_t worker_count(const InferenceModels& models, std::int64_t asked,
                          std::int64_t threads = 1);

/// A worker of each model of an ensemble.
using EnsembleWorker = std::vector<std::unique_ptr<InferenceWorker>>;

/// The sentences' scorer: of one model, or of several as an ensemble.
/// Parameters and errors are those of `InferenceWorker::start`.
std::unique_ptr<NextTokenScorer> start_scorer(const EnsembleWorker& worker, Sentences sources,
                                              const SearchOptions& search,
                                              ForcedPrefixes prefixes = {},
                                              const std::stop_token& stop = {});

/// Threads that do the work of all callers: next comes the call with the fewest tasks left, so that
/// one line does not wait for a long text, and no thread idles while work is left. They start when
/// they are needed; each keeps its worker, with the memory that it has taken. After fork() the
/// child starts threads of its own.
class EnsembleWorkers {
 public:
  /// What a thread does with a task.
  using Work = std::function<void(const EnsembleWorker& worker, std::int64_t task)>;

  /// \param workers threads at most; at least 1
  EnsembleWorkers(InferenceModels models, InferenceOptions options, std::int64_t workers)
      : models_(std::move(models)), options_(std::move(options)), workers_(workers) {}
  ~EnsembleWorkers();
  EnsembleWorkers(const EnsembleWorkers&) = delete;
  EnsembleWorkers& operator=(const EnsembleWorkers&) = delete;

  /// Tasks in chunks of consecutive ones.
  using ChunkWork =
      std::function<void(const EnsembleWorker& worker, std::size_t first, std::size_t last)>;

  /// Calls `work` with chunks [first, last) that make up [0, count), `size` each but the last one.
  /// \throws as `run`
  void run_in_chunks(std::int64_t count, std::int64_t size, const ChunkWork& work,
                     const std::stop_token& stop);

  /// Called when tasks have ended.
  using Tell = std::function<void()>;

  /// Calls `work` with 0 .. tasks - 1, begun in this order, and returns when all have ended.
  /// May be called by several threads at once, but not by `work`.
  /// \param stop when it asks for the end, tasks that have not begun never do
  /// \param tell called by the calling thread, while others go on, after one task or several have
  ///     ended, for the last time after the last one
  /// \throws what the first task that failed, or `tell`, threw, when all that were running have
  ///     ended; those that had not begun by then never do. Cancelled if `stop` asks before all
  ///     have ended; DataError if the system refuses a thread
  void run(std::int64_t tasks, const Work& work, const std::stop_token& stop = {},
           const Tell& tell = {});

 private:
  class Threads;

  Threads& of_this_process();

  InferenceModels models_;
  InferenceOptions options_;
  std::int64_t workers_;
  std::atomic<Threads*> threads_ = nullptr;
};

}  // namespace dragoman
