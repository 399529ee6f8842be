#include "dragoman/data/stream.h"

#include <algorithm>

namespace dragoman {

TrainingStream::TrainingStream(const Examples& examples, const StreamOptions& options,
                               const StreamPosition& start)
    : examples_(examples), options_(options), position_(start) {
  if (options_.all_shards == 0) options_.all_shards = options_.shards;
  plan();
  updates_per_epoch_ = (plan_->size() + options_.accumulate - 1) / options_.accumulate;
  // A position of larger batches may lie behind the end of an epoch of these.
  position_.updates = std::min(position_.updates, updates_per_epoch_ - 1);
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

Batch TrainingStream::batch_of(const BatchIndices& part) const {
  std::vector<Example> rows;
  for (const auto index : part) rows.push_back(examples_.example(index));
  std::vector<const Example*> chosen;
  for (const auto& row : rows) chosen.push_back(&row);
  return make_batch(chosen, options_.source_special, options_.target_special);
}

void TrainingStream::count(const BatchIndices& part, UpdateData& update) const {
  update.sentences += static_cast<std::int64_t>(part.size());
  update.padding += padding_cells(examples_, part);
  for (const auto index : part) {
    const auto length = examples_.length(index);
    update.lengths.emplace_back(length.source, length.target);
    update.source_tokens += update.lengths.back().first;
    update.target_tokens += update.lengths.back().second;
  }
}

UpdateData TrainingStream::make() {
  UpdateData update;
  update.shards.resize(static_cast<std::size_t>(options_.shards));
  const auto first = position_.updates * options_.accumulate;
  const auto end = std::min(first + options_.accumulate, plan_->size());
  for (auto i = first; i < end; ++i) {
    const auto parts = deal_batch(examples_, plan_->batch(i), options_.all_shards);
    for (std::int64_t shard = 0; shard < options_.all_shards; ++shard) {
      const auto& part = parts[static_cast<std::size_t>(shard)];
      if (part.empty()) continue;
      count(part, update);
      const auto own = shard - options_.first_shard;
      if (own >= 0 && own < options_.shards)
        update.shards[static_cast<std::size_t>(own)].push_back(batch_of(part));
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
