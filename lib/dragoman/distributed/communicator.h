#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The processes of one training, numbered from 0 ("ranks"). What is called here on one rank is
/// called on all, in the same order; only `start_sum` may come in any order and from any thread.
///
/// A rank that dies or gives no sign of life for too long ends the process inside of any call, and
/// outside of them, with a message that names it: nobody waits for it.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual std::int64_t rank() const = 0;  ///< 0 to size() - 1; rank 0 is the one that writes
  virtual std::int64_t size() const = 0;

  /// This process among those on the same host, 0 if it is alone there.
  virtual std::int64_t local_rank() const = 0;

  /// Begins to replace `values` by their sums over the ranks. Each sum is taken in the order of the
  /// ranks: the same bits on every rank and whenever it is repeated.
  /// \param values as many on every rank; they stay where they are until `wait` returns
  /// \param channel tells sums apart that are under way together, 0 to 16000, the same on all ranks
  virtual void start_sum(std::span<float> values, std::int64_t channel) = 0;
  virtual void start_sum(std::span<double> values, std::int64_t channel) = 0;

  /// Waits for all sums that were begun.
  virtual void wait() = 0;

  /// Replaces `bytes` by those of rank 0.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  /// A short text of each rank, in their order, on every rank.
  virtual std::vector<std::string> gather(const std::string& text) = 0;

  /// Says to the others that this rank cannot go on, so that they end too, with that exit code. The
  /// last call on this object.
  virtual void fail(int exit_code, const std::string& message) = 0;
};

/// The text that rank 0 has, on every rank.
std::string broadcast_text(Communicator& group, std::string text);

/// The sums of a few numbers over the ranks, at once.
void sum(Communicator& group, std::span<double> values);

}  // namespace dragoman
