#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// One sum over the ranks under way. Each rank owns a slice of the numbers: the others send it their
/// part, it adds them in the order of the ranks, and sends back what came out. That moves as few
/// bytes as a ring does, in two steps, and the bits depend on nothing but the numbers.
template <typename Number>
class MpiSum {
 public:
  /// \param values stay until `advance` has returned true
  MpiSum(std::span<Number> values, MPI_Comm group, int channel);

  /// Goes on as far as it can without waiting; whether the sums stand in the values.
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
  std::unique_ptr<Number[]> parts_;  ///< of the own slice, from each rank in turn
  std::vector<MPI_Request> requests_;
  bool returning_ = false;
};

}  // namespace dragoman
