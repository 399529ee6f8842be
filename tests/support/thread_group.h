#pragma once

#include "dragoman/distributed/communicator.h"

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace test {

/// Ranks that are threads of this process: what they share.
struct ThreadRanks {
  using Values = std::variant<std::span<float>, std::span<double>>;

  explicit ThreadRanks(std::int64_t size) : arrived(size), sums(static_cast<std::size_t>(size)) {}

  std::barrier<> arrived;
  std::vector<std::map<std::int64_t, Values>> sums;  ///< by rank and channel
  std::vector<std::string> texts = std::vector<std::string>(sums.size());
  std::span<std::byte> bytes;
};

/// One of them.
class ThreadGroup final : public dragoman::Communicator {
 public:
  ThreadGroup(ThreadRanks& ranks, std::int64_t rank) : ranks_(ranks), rank_(rank) {}

  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return std::ssize(ranks_.sums); }
  std::int64_t local_rank() const override { return rank_; }
  std::int64_t local_size() const override { return size(); }
  std::int64_t host() const override { return 0; }

  void start_sum(std::span<float> values, std::int64_t channel) override { add(values, channel); }
  void start_sum(std::span<double> values, std::int64_t channel) override { add(values, channel); }

  void wait() override {
    ranks_.arrived.arrive_and_wait();
    if (rank_ == 0)
      for (auto& [channel, values] : ranks_.sums.front())
        std::visit([&, key = channel](auto first) { add_up(first, key); }, values);
    ranks_.arrived.arrive_and_wait();
    own().clear();
    ranks_.arrived.arrive_and_wait();
  }

  void broadcast(std::span<std::byte> bytes) override {
    if (rank_ == 0) ranks_.bytes = bytes;
    ranks_.arrived.arrive_and_wait();
    if (rank_ != 0) std::memcpy(bytes.data(), ranks_.bytes.data(), bytes.size());
    ranks_.arrived.arrive_and_wait();
  }

  std::vector<std::string> gather(const std::string& text) override {
    ranks_.texts[static_cast<std::size_t>(rank_)] = text;
    ranks_.arrived.arrive_and_wait();
    const auto all = ranks_.texts;
    ranks_.arrived.arrive_and_wait();
    return all;
  }

  void fail(int, const std::string&) override {}

 private:
  std::map<std::int64_t, ThreadRanks::Values>& own() {
    return ranks_.sums[static_cast<std::size_t>(rank_)];
  }

  void add(ThreadRanks::Values values, std::int64_t channel) {
    const std::lock_guard lock(mutex_);  // the rank's workers start sums in parallel
    own()[channel] = values;
  }

  template <typename Number>
  void add_up(std::span<Number> first, std::int64_t channel) {
    for (std::size_t rank = 1; rank < ranks_.sums.size(); ++rank) {
      const auto other = std::get<std::span<Number>>(ranks_.sums[rank].at(channel));
      for (std::size_t i = 0; i < first.size(); ++i) first[i] += other[i];
    }
    for (std::size_t rank = 1; rank < ranks_.sums.size(); ++rank) {
      const auto other = std::get<std::span<Number>>(ranks_.sums[rank].at(channel));
      std::copy(first.begin(), first.end(), other.begin());
    }
  }

  ThreadRanks& ranks_;
  std::int64_t rank_;
  std::mutex mutex_;
};

/// Calls `task(group)` for each rank, on threads of their own. \throws what the first of them threw
inline void run_ranks(std::int64_t size, const std::function<void(dragoman::Communicator&)>& task) {
  ThreadRanks ranks(size);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        ThreadGroup group(ranks, rank);
        try {
          task(group);
        } catch (...) {
          failures[static_cast<std::size_t>(rank)] = std::current_exception();
          ranks.arrived.arrive_and_drop();
        }
      });
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace test
