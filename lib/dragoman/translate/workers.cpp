#include "dragoman/translate/workers.h"

#include "dragoman/core/error.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/thread.h"
#include "dragoman/search/ensemble.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace dragoman {

std::int64_t worker_count(const InferenceModels& models, std::int64_t asked, std::int64_t threads) {
  if (asked > 0) return asked;
  // A step of a search on a GPU is short and waits for the host: meanwhile another one runs. More
  // workers are faster still, but each has keys and values of its own.
  constexpr std::int64_t most_on_gpu = 2;
  const auto cores = std::min(available_cores(), most_threads);
  return models.front()->is_on_cpu() ? std::max<std::int64_t>(1, cores / threads)
                                     : std::min(cores, most_on_gpu);
}

std::unique_ptr<NextTokenScorer> start_scorer(const EnsembleWorker& worker, Sentences sources,
                                              const SearchOptions& search, ForcedPrefixes prefixes,
                                              const std::stop_token& stop) {
  if (worker.size() == 1) return worker.front()->start(sources, search, prefixes, stop);
  std::vector<std::unique_ptr<NextTokenScorer>> members;
  for (const auto& of_model : worker)
    members.push_back(of_model->start(sources, search, prefixes, stop));
  return std::make_unique<EnsembleScorer>(std::move(members));
}

class EnsembleWorkers::Threads {
 public:
  Threads(const InferenceModels& models, const InferenceOptions& options, std::int64_t workers)
      : models_(models), options_(options), workers_(workers) {}

  ~Threads() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    work_or_end_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  ::pid_t process() const { return process_; }

  void run(std::int64_t tasks, const Work& work, const std::stop_token& stop, const Tell& tell) {
    Call call{.work = work, .tells = tell != nullptr, .tasks = tasks};
    std::unique_lock lock(mutex_);
    start_threads(tasks);
    calls_.push_back(&call);
    work_or_end_.notify_all();
    const auto has_ended = [&] { return call.next == call.tasks && call.running == 0; };
    std::int64_t told = 0;  // tasks
    const auto has_changed = [&] { return has_ended() || (call.tells && call.done > told); };
    for (;;) {
      call.changed.wait(lock, stop, has_changed);
      if (stop.stop_requested() && !has_ended())
        skip_rest(call, std::make_exception_ptr(Cancelled("cancelled by the caller")));
      if (call.failure || !call.tells || told == call.done) break;
      told = call.done;
      lock.unlock();
      auto failure = failure_of(tell);
      lock.lock();
      if (failure) skip_rest(call, std::move(failure));
    }
    call.changed.wait(lock, has_ended);
    if (call.failure) std::rethrow_exception(call.failure);
  }

 private:
  struct Call {
    const Work& work;
    bool tells = false;
    std::int64_t tasks = 0;
    std::int64_t next = 0;     // task to begin
    std::int64_t running = 0;  // tasks begun, but not ended
    std::int64_t done = 0;     // tasks ended without failure
    std::exception_ptr failure = {};
    std::condition_variable_any changed = {};  // `done`, if it tells, or the call has ended
  };

  /// As many as can be of use with `tasks` more.
  void start_threads(std::int64_t tasks) {
    for (const auto* call : calls_) tasks += call->tasks - call->next;
    const auto wanted = std::min(workers_, busy_ + tasks);
    while (std::ssize(threads_) < wanted)
      threads_.push_back(start_thread<std::thread>([this] { serve(); }));
  }

  void serve() {
    EnsembleWorker worker;
    std::unique_lock lock(mutex_);
    for (;;) {
      work_or_end_.wait(lock, [this] { return ending_ || !calls_.empty(); });
      if (calls_.empty()) return;
      do_next_task(worker, lock);
    }
  }

  /// The call with the fewest tasks to begin; of several, the one that came first. Each fourth time
  /// it is the one that came first of all, which would wait for ever if there were always a shorter
  /// one.
  std::deque<Call*>::iterator next_call() {
    constexpr int turns = 4;
    turn_ = (turn_ + 1) % turns;
    if (turn_ == 0) return calls_.begin();
    return std::ranges::min_element(calls_, {},
                                    [](const Call* call) { return call->tasks - call->next; });
  }

  void do_next_task(EnsembleWorker& worker, std::unique_lock<std::mutex>& lock) {
    const auto chosen = next_call();
    auto& call = **chosen;
    const auto task = call.next++;
    if (call.next == call.tasks) calls_.erase(chosen);
    ++call.running;
    ++busy_;
    lock.unlock();
    auto failure = failure_of([&] {
      if (worker.empty()) worker = make_worker();
      call.work(worker, task);
    });
    lock.lock();
    --busy_;
    --call.running;
    if (!failure) ++call.done;
    if (failure) skip_rest(call, std::move(failure));
    if (call.tells || (call.next == call.tasks && call.running == 0)) call.changed.notify_one();
  }

  /// What `action` throws; null if nothing.
  template <typename Action>
  static std::exception_ptr failure_of(const Action& action) {
    try {
      action();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  EnsembleWorker make_worker() const {
    EnsembleWorker worker;
    for (const auto& model : models_) worker.push_back(model->make_worker(options_));
    return worker;
  }

  void skip_rest(Call& call, std::exception_ptr failure) {
    if (!call.failure) call.failure = std::move(failure);
    call.next = call.tasks;
    std::erase(calls_, &call);
  }

  const InferenceModels& models_;
  const InferenceOptions options_;
  const std::int64_t workers_;
  const ::pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::condition_variable work_or_end_;
  std::deque<Call*> calls_;  // with tasks to begin
  int turn_ = 0;             // of `next_call`
  std::int64_t busy_ = 0;    // threads
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

EnsembleWorkers::~EnsembleWorkers() {
  auto* threads = threads_.load();
  if (threads != nullptr && threads->process() == ::getpid()) delete threads;
}

void EnsembleWorkers::run(std::int64_t tasks, const Work& work, const std::stop_token& stop,
                          const Tell& tell) {
  if (tasks > 0) of_this_process().run(tasks, work, stop, tell);
}

EnsembleWorkers::Threads& EnsembleWorkers::of_this_process() {
  auto* threads = threads_.load();
  if (threads != nullptr && threads->process() == ::getpid()) return *threads;
  // What fork() has copied stays as it is: its threads do not exist here, and its locks may be
  // held.
  auto own = std::make_unique<Threads>(models_, options_, workers_);
  if (threads_.compare_exchange_strong(threads, own.get())) threads = own.release();
  return *threads;
}

void EnsembleWorkers::run_in_chunks(std::int64_t count, std::int64_t size, const ChunkWork& work,
                                    const std::stop_token& stop) {
  run((count + size - 1) / size,
      [&](const EnsembleWorker& worker, std::int64_t chunk) {
        const auto last = std::min((chunk + 1) * size, count);
        work(worker, static_cast<std::size_t>(chunk * size), static_cast<std::size_t>(last));
      },
      stop);
}

}  // namespace dragoman
