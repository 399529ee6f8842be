#pragma once

#include "dragoman/inference/inference_model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace dragoman {

/// Runs `tasks` tasks on several threads; each free thread takes the next one.
/// \param workers threads at most; at least 1
/// \param start called by each thread for what it does with a task: 0 .. tasks - 1, in this order
///     of starting
/// \throws what the first call that failed threw, when all threads have ended; tasks that have
///     not started by then are skipped
void run_on_workers(std::int64_t workers, std::int64_t tasks,
                    const std::function<std::function<void(std::int64_t)>()>& start);

/// The number of workers for a requested number `asked`; 0 = one for each core, or one on a GPU.
std::int64_t worker_count(const InferenceModels& models, std::int64_t asked);

/// A worker of each model of an ensemble.
using EnsembleWorker = std::vector<std::unique_ptr<InferenceWorker>>;

/// The sentences' scorer: of one model, or of several as an ensemble.
std::unique_ptr<NextTokenScorer> start_scorer(const EnsembleWorker& worker, Sentences sources,
                                              const SearchOptions& search);

/// Workers for the threads that need them, kept in between with the memory that they have taken.
class InferenceWorkers {
 public:
  /// \param models must outlive this object
  InferenceWorkers(const InferenceModels& models, const InferenceOptions& options)
      : models_(models), options_(options) {}

  /// While this object lives, its worker is one thread's own.
  class Loan {
   public:
    explicit Loan(InferenceWorkers& pool) : pool_(pool), worker_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(worker_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    const EnsembleWorker& operator*() const { return worker_; }

   private:
    InferenceWorkers& pool_;
    EnsembleWorker worker_;
  };

 private:
  EnsembleWorker take();
  void give_back(EnsembleWorker worker);

  const InferenceModels& models_;
  InferenceOptions options_;
  std::mutex mutex_;
  std::vector<EnsembleWorker> free_;
};

}  // namespace dragoman
