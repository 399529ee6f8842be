#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The processes of one training, numbered from 0 ("ranks"). All functions are collective: they are
/// called on all ranks in the same order; only `start_sum` may be called in any order and from any
/// thread.
///
/// If a rank dies or sends no heartbeat for too long, the other processes end, inside or outside a
/// call, with a message that names it: no process waits for it.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual std::int64_t rank() const = 0;  ///< 0 to size() - 1; rank 0 does the writing
  virtual std::int64_t size() const = 0;

  /// The rank of this process among those on the same host, 0 if it is alone there.
  virtual std::int64_t local_rank() const = 0;

  /// The number of processes on that host, itself included.
  virtual std::int64_t local_size() const = 0;

  /// What tells that host from others: the lowest rank on it.
  virtual std::int64_t host() const = 0;

  /// Starts replacing `values` by their sums over the ranks. Each sum is taken in rank order:
  /// bit-identical on every rank and in every repetition.
  /// \param values the same number on every rank; must stay valid until `wait` returns
  /// \param channel distinguishes concurrent sums, 0 to 16000, the same on all ranks
  virtual void start_sum(std::span<float> values, std::int64_t channel) = 0;
  virtual void start_sum(std::span<double> values, std::int64_t channel) = 0;

  /// Waits for all sums that were started.
  virtual void wait() = 0;

  /// Replaces `bytes` by those of rank 0.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  /// Gathers a short text from each rank, in rank order, on every rank.
  virtual std::vector<std::string> gather(const std::string& text) = 0;

  /// Tells the other ranks that this one has failed, so that they end too, with this exit code.
  /// Must be the last call on this object.
  virtual void fail(int exit_code, const std::string& message) = 0;
};

/// The text that rank 0 has, on every rank.
std::string broadcast_text(Communicator& group, std::string text);

/// The ranks whose `text` is not that of rank 0, "1, 3", on every rank; empty if all agree.
std::string differing_ranks(Communicator& group, const std::string& text);

/// Sums a few numbers over the ranks and waits for the result.
void sum(Communicator& group, std::span<double> values);

}  // namespace dragoman
