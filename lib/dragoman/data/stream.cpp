#include "dragoman/data/stream.h"

#include "dragoman/core/mix.h"
#include "dragoman/core/thread.h"

#include <algorithm>
#include <chrono>

namespace dragoman {

namespace {

constexpr std::uint64_t augmentation_draw = 3;  // keeps these draws independent of the epoch's

}  // namespace

TrainingStream::TrainingStream(const Examples& examples, const StreamOptions& options,
                               const StreamPosition& start)
    : examples_(examples), options_(options), position_(start) {
  if (options_.all_shards == 0) options_.all_shards = options_.shards;
  plan();
  updates_per_epoch_ = (plan_->size() + options_.accumulate - 1) / options_.accumulate;
  // A position saved with smaller batches may be beyond the end of an epoch.
  position_.updates = std::min(position_.updates, updates_per_epoch_ - 1);
  thread_ = start_thread<std::thread>([this] { work(); });
}

TrainingStream::~TrainingStream() {
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t TrainingStream::updates_per_epoch() const { return updates_per_epoch_; }

UpdateData TrainingStream::next() {
  return *next_unless([] { return false; });
}

std::optional<UpdateData> TrainingStream::next_unless(const std::function<bool()>& cancelled) {
  constexpr std::chrono::milliseconds between_questions{50};
  std::unique_lock lock(mutex_);
  do {
    if (cancelled()) return std::nullopt;
  } while (!changed_.wait_for(lock, between_questions,
                              [this] { return !ready_.empty() || failure_ != nullptr; }));
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
      position_.epoch, stop_.get_token());
}

/// A part of a batch is augmented the same way by whichever process reads it.
std::uint64_t TrainingStream::part_key(std::int64_t batch, std::int64_t shard) const {
  const auto epoch =
      mix(mix(options_.seed, augmentation_draw), static_cast<std::uint64_t>(position_.epoch));
  return mix(mix(epoch, static_cast<std::uint64_t>(batch)), static_cast<std::uint64_t>(shard));
}

std::vector<Example> TrainingStream::read(const BatchIndices& part, std::uint64_t key) const {
  std::vector<Example> examples;
  for (const auto index : part) {
    examples.push_back(examples_.example(index));
    if (options_.augmentation)
      options_.augmentation->change_pieces(examples.back(), mix(key, examples.size()));
  }
  return examples;
}

Batch TrainingStream::batch_of(const std::vector<Example>& examples, std::uint64_t key) const {
  std::vector<const Example*> rows;
  for (const auto& example : examples) rows.push_back(&example);
  auto batch = make_batch(rows, options_.source_special, options_.target_special);
  if (options_.augmentation) options_.augmentation->drop_tokens(batch, key);
  return batch;
}

void TrainingStream::count(const std::vector<Example>& examples, const Batch& batch,
                           UpdateCounts& counts) const {
  counts.sentences += std::ssize(examples);
  counts.source_tokens += batch.source_tokens;
  counts.padding += batch.source.numel() + batch.target_output.numel() - batch.source_tokens -
                    batch.target_tokens;
  if (!options_.flops) return;
  for (const auto& example : examples)
    counts.flops +=
        3.0 * options_.flops(std::ssize(example.source_ids), std::ssize(example.target_ids));
}

UpdateData TrainingStream::make() {
  if (!plan_) plan();
  UpdateData update;
  update.shards.resize(static_cast<std::size_t>(options_.shards));
  const auto first = position_.updates * options_.accumulate;
  const auto end = std::min(first + options_.accumulate, plan_->size());
  for (auto i = first; i < end; ++i) {
    const auto parts = shard_batch(examples_, plan_->batch(i), options_.all_shards, options_.costs);
    for (std::int64_t own = 0; own < options_.shards; ++own) {
      const auto shard = options_.first_shard + own;
      const auto& part = parts[static_cast<std::size_t>(shard)];
      if (part.empty()) continue;
      const auto key = part_key(i, shard);
      const auto examples = read(part, key);
      const auto batch = batch_of(examples, key);
      count(examples, batch, update.counts);
      update.shards[static_cast<std::size_t>(own)].push_back(options_.pin ? pinned(batch) : batch);
    }
  }
  ++position_.updates;
  if (end == plan_->size()) {
    position_ = {.epoch = position_.epoch + 1, .updates = 0};
    plan_.reset();  // the next one is made when it is needed: this update need not wait for it
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
        return stop_.stop_requested() ||
               ready_.size() < static_cast<std::size_t>(options_.prefetch);
      });
      if (stop_.stop_requested()) return;
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
