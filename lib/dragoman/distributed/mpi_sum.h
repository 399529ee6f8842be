#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// One pending sum over the ranks. Each rank owns a slice of the numbers: the others send it their
/// parts, it adds them in rank order and sends back the result. This moves as few bytes as a ring
/// all-reduce, in two steps, and the bits depend only on the numbers.
template <typename Number>
class MpiSum {
 public:
  /// \param values must stay valid until `advance` has returned true
  MpiSum(std::span<Number> values, MPI_Comm group, int channel);

  /// Progresses as far as possible without waiting. \return true once the values hold the sums
  bool advance();

 private:
  std::span<Number> slice(int rank) const;
  void send(std::span<const Number> numbers, int rank, int step);
  void receive(std::span<Number> numbers, int rank, int step);
  void start_collecting();
  void add_up();
  void start_returning();

  std::span<Number> values_;
  MPI_Comm group_;
  int channel_;
  int rank_ = 0;
  int size_ = 1;
  std::unique_ptr<Number[]> parts_;  ///< of this rank's slice, from each rank in turn
  std::vector<MPI_Request> requests_;
  bool returning_ = false;
};

}  // namespace dragoman
