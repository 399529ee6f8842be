#include "dragoman/data/stream.h"

#include "dragoman/tensor/random_stream.h"

#include <algorithm>

namespace dragoman {

TrainingStream::TrainingStream(std::span<const Example> examples, const StreamOptions& options,
                               const StreamPosition& start)
    : examples_(examples), options_(options), position_(start) {
  plan();
  const auto batches = static_cast<std::int64_t>(plan_.size());
  updates_per_epoch_ = (batches + options_.accumulate - 1) / options_.accumulate;
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
  plan_ = plan_batches(examples_, options_.limits,
                       mix(options_.seed, static_cast<std::uint64_t>(position_.epoch)));
}

UpdateData TrainingStream::make() {
  UpdateData update;
  update.shards.resize(static_cast<std::size_t>(options_.shards));
  const auto first = position_.updates * options_.accumulate;
  const auto end = std::min(first + options_.accumulate, static_cast<std::int64_t>(plan_.size()));
  for (auto i = first; i < end; ++i) {
    const auto& batch = plan_[static_cast<std::size_t>(i)];
    update.sentences += static_cast<std::int64_t>(batch.size());
    const auto parts = deal_batch(examples_, batch, options_.shards);
    for (std::size_t shard = 0; shard < parts.size(); ++shard) {
      if (parts[shard].empty()) continue;
      std::vector<const Example*> chosen;
      for (const auto index : parts[shard]) {
        chosen.push_back(&examples_[index]);
        update.lengths.emplace_back(examples_[index].source_ids.size(),
                                    examples_[index].target_ids.size());
      }
      update.shards[shard].push_back(
          make_batch(chosen, options_.source_special, options_.target_special));
      update.source_tokens += update.shards[shard].back().source_tokens;
      update.target_tokens += update.shards[shard].back().target_tokens;
      update.padding += padding_cells(examples_, parts[shard]);
    }
  }
  ++position_.updates;
  if (end == static_cast<std::int64_t>(plan_.size())) {
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
