#include "dragoman/inference/thread_team.h"

#include "dragoman/core/thread.h"

#include <algorithm>

namespace dragoman {

namespace {

/// Waits until `number` is no longer `before`: awake for a moment, since the next product is near.
template <typename Number>
void wait_for_change(const std::atomic<Number>& number, Number before) {
  constexpr int tries = 2000;
  for (int i = 0; i < tries; ++i)
    if (number.load(std::memory_order_acquire) != before) return;
  number.wait(before, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(std::int64_t threads) {
  try {
    for (std::int64_t i = 1; i < threads; ++i)
      threads_.push_back(start_thread<std::jthread>([this, i] { wait_for_work(i); }));
  } catch (...) {
    dismiss();
    throw;
  }
}

ThreadTeam::~ThreadTeam() { dismiss(); }

void ThreadTeam::dismiss() {
  work_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
}

void ThreadTeam::share(std::int64_t parts, std::int64_t grain,
                       const std::function<void(std::int64_t, std::int64_t)>& work) {
  ranges_ = std::clamp<std::int64_t>(parts / grain, 1, std::ssize(threads_) + 1);
  if (ranges_ == 1) return work(0, parts);
  parts_ = parts;
  work_ = &work;
  running_.store(std::ssize(threads_), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  do_share(0);
  for (auto left = running_.load(std::memory_order_acquire); left > 0;
       left = running_.load(std::memory_order_acquire))
    wait_for_change(running_, left);
}

void ThreadTeam::wait_for_work(std::int64_t index) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_for_change(round_, seen);
    if (work_ == nullptr) return;
    do_share(index);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_all();
  }
}

void ThreadTeam::do_share(std::int64_t index) const {
  if (index < ranges_) (*work_)(parts_* index / ranges_, parts_ * (index + 1) / ranges_);
}

}  // namespace dragoman
