#pragma once

#include "dragoman/distributed/communicator.h"

#include <memory>

namespace dragoman {

class MpiThread;

/// The processes that one MPI launcher started.
///
/// All of MPI is called on one thread of its own (MPI_THREAD_FUNNELED), which moves what is under
/// way while the others compute and exchanges signs of life with all ranks.
class Mpi final : public Communicator {
 public:
  /// Starts MPI, once in a process. \param timeout seconds; see `join_group`
  /// \throws DataError if MPI cannot start
  explicit Mpi(double timeout);

  /// Waits for the other ranks to be here too, and ends MPI; after `fail` it does neither.
  ~Mpi() override;

  std::int64_t rank() const override;
  std::int64_t size() const override;
  std::int64_t local_rank() const override;
  void start_sum(std::span<float> values, std::int64_t channel) override;
  void start_sum(std::span<double> values, std::int64_t channel) override;
  void wait() override;
  void broadcast(std::span<std::byte> bytes) override;
  std::vector<std::string> gather(const std::string& text) override;
  void fail(int exit_code, const std::string& message) override;

 private:
  std::unique_ptr<MpiThread> thread_;
};

/// The library's name and version: "Open MPI v4.1.4". MPI need not be started.
std::string mpi_library();

}  // namespace dragoman
