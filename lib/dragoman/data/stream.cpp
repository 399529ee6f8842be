#include "dragoman/data/stream.h"

#include <algorithm>

namespace dragoman {

TrainingStream::TrainingStream(const Examples& examples, const StreamOptions& options,
                               const StreamPosition& start)
    : examples_(examples), options_(options), position_(start) {
  plan();
  updates_per_epoch_ = (plan_->size() + options_.accumulate - 1) / options_.accumulate;
  thread_ = std::thread([this] { work(); });
}

TrainingStream::~TrainingStream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t TrainingStream::updates_per_epoch() const { return updates_per_epoch_; }

UpdateData TrainingStream::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || failure_ != nullptr; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  auto update = std::move(ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return update;
}

void TrainingStream::plan() {
  plan_.emplace(
      examples_,
      EpochOptions{.limits = options_.limits, .shares = options_.shares, .seed = options_.seed},
      position_.epoch);
}

UpdateData TrainingStream::make() {
  UpdateData update;
  update.shards.resize(static_cast<std::size_t>(options_.shards));
  const auto first = position_.updates * options_.accumulate;
  const auto end = std::min(first + options_.accumulate, plan_->size());
  for (auto i = first; i < end; ++i) {
    const auto& batch = plan_->batch(i);
    update.sentences += static_cast<std::int64_t>(batch.size());
    const auto parts = deal_batch(examples_, batch, options_.shards);
    for (std::size_t shard = 0; shard < parts.size(); ++shard) {
      if (parts[shard].empty()) continue;
      std::vector<Example> rows;
      for (const auto index : parts[shard]) {
        rows.push_back(examples_.example(index));
        update.lengths.emplace_back(rows.back().source_ids.size(), rows.back().target_ids.size());
      }
      std::vector<const Example*> chosen;
      for (const auto& row : rows) chosen.push_back(&row);
      update.shards[shard].push_back(
          make_batch(chosen, options_.source_special, options_.target_special));
      update.source_tokens += update.shards[shard].back().source_tokens;
      update.target_tokens += update.shards[shard].back().target_tokens;
      update.padding += padding_cells(examples_, parts[shard]);
    }
  }
  ++position_.updates;
  if (end == plan_->size()) {
    position_ = {.epoch = position_.epoch + 1, .updates = 0};
    plan();
  }
  update.next = position_;
  return update;
}

void TrainingStream::work() {
  try {
    for (;;) {
      auto update = make();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] {
        return stop_ || ready_.size() < static_cast<std::size_t>(options_.prefetch);
      });
      if (stop_) return;
      ready_.push_back(std::move(update));
      lock.unlock();
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

}  // namespace dragoman
