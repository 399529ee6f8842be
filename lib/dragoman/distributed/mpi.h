#pragma once

#include "dragoman/distributed/communicator.h"

#include <memory>

namespace dragoman {

class MpiThread;

/// The processes that one MPI launcher started.
///
/// All MPI calls are made by one dedicated thread (MPI_THREAD_FUNNELED), which progresses pending
/// operations while the others compute and exchanges heartbeats with all ranks.
class Mpi final : public Communicator {
 public:
  /// Starts MPI, once per process. \param timeout seconds; see `join_group`
  /// \throws DataError if MPI cannot start
  explicit Mpi(double timeout);

  /// Waits for the other ranks to arrive, then finalises MPI; after `fail` it does neither.
  ~Mpi() override;

  std::int64_t rank() const override;
  std::int64_t size() const override;
  std::int64_t local_rank() const override;
  std::int64_t local_size() const override;
  std::int64_t host() const override;
  void start_sum(std::span<float> values, std::int64_t channel) override;
  void start_sum(std::span<double> values, std::int64_t channel) override;
  void wait() override;
  void broadcast(std::span<std::byte> bytes) override;
  std::vector<std::string> gather(const std::string& text) override;
  void fail(int exit_code, const std::string& message) override;

 private:
  std::unique_ptr<MpiThread> thread_;
};

/// The library's name and version: "Open MPI v4.1.4". MPI need not have been started.
std::string mpi_library();

}  // namespace dragoman
