#include "dragoman/translate/workers.h"

#include "dragoman/core/machine.h"
#include "dragoman/core/thread.h"
#include "dragoman/search/ensemble.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dragoman {

void run_on_workers(std::int64_t workers, std::int64_t tasks,
                    const std::function<std::function<void(std::int64_t)>()>& start) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      const auto task = start();
      for (std::int64_t i = next++; i < tasks; i = next++) task(i);
    } catch (...) {
      next = tasks;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  if (tasks == 0) return;
  {
    std::vector<std::jthread> threads;
    try {
      for (std::int64_t worker = 1; worker < std::min(workers, tasks); ++worker)
        threads.push_back(start_thread<std::jthread>(work));
    } catch (...) {
      next = tasks;  // running workers start no further task
      throw;
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

std::int64_t worker_count(const InferenceModels& models, std::int64_t asked) {
  if (asked > 0) return asked;
  return models.front()->is_on_cpu() ? available_cores() : 1;
}

std::unique_ptr<NextTokenScorer> start_scorer(const EnsembleWorker& worker, Sentences sources,
                                              const SearchOptions& search) {
  if (worker.size() == 1) return worker.front()->start(sources, search);
  std::vector<std::unique_ptr<NextTokenScorer>> members;
  for (const auto& of_model : worker) members.push_back(of_model->start(sources, search));
  return std::make_unique<EnsembleScorer>(std::move(members));
}

EnsembleWorker InferenceWorkers::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      auto worker = std::move(free_.back());
      free_.pop_back();
      return worker;
    }
  }
  EnsembleWorker worker;
  for (const auto& model : models_) worker.push_back(model->make_worker(options_));
  return worker;
}

void InferenceWorkers::give_back(EnsembleWorker worker) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(worker));
}

}  // namespace dragoman
