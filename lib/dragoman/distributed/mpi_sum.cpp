#include "dragoman/distributed/mpi_sum.h"

#include <algorithm>
#include <functional>
#include <type_traits>

namespace dragoman {

namespace {

template <typename Number>
MPI_Datatype mpi_type() {
  return std::is_same_v<Number, float> ? MPI_FLOAT : MPI_DOUBLE;
}

}  // namespace

template <typename Number>
MpiSum<Number>::MpiSum(std::span<Number> values, MPI_Comm group, int channel)
    : values_(values), group_(group), channel_(channel) {
  MPI_Comm_rank(group, &rank_);
  MPI_Comm_size(group, &size_);
  parts_ = std::make_unique_for_overwrite<Number[]>(slice(rank_).size() *
                                                    static_cast<std::size_t>(size_));
  start_collecting();
}

template <typename Number>
std::span<Number> MpiSum<Number>::slice(int rank) const {
  const auto begin = [&](int r) {
    return values_.size() * static_cast<std::size_t>(r) / static_cast<std::size_t>(size_);
  };
  return values_.subspan(begin(rank), begin(rank + 1) - begin(rank));
}

template <typename Number>
void MpiSum<Number>::send(std::span<const Number> numbers, int rank, int step) {
  if (numbers.empty()) return;
  MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), mpi_type<Number>(), rank,
            2 * channel_ + step, group_, &requests_.emplace_back());
}

template <typename Number>
void MpiSum<Number>::receive(std::span<Number> numbers, int rank, int step) {
  if (numbers.empty()) return;
  MPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), mpi_type<Number>(), rank,
            2 * channel_ + step, group_, &requests_.emplace_back());
}

template <typename Number>
void MpiSum<Number>::start_collecting() {
  const auto own = slice(rank_);
  for (int i = 1; i < size_; ++i) {
    // Each rank begins with a different neighbour, so that they do not all address the same one.
    const int from = (rank_ + size_ - i) % size_;
    const int to = (rank_ + i) % size_;
    receive({parts_.get() + own.size() * static_cast<std::size_t>(from), own.size()}, from, 0);
    send(slice(to), to, 0);
  }
}

template <typename Number>
void MpiSum<Number>::add_up() {
  const auto own = slice(rank_);
  const auto part = [&](int rank) {
    return parts_.get() + own.size() * static_cast<std::size_t>(rank);
  };
  std::copy(own.begin(), own.end(), part(rank_));
  std::copy_n(part(0), own.size(), own.begin());
  for (int rank = 1; rank < size_; ++rank)
    std::transform(own.begin(), own.end(), part(rank), own.begin(), std::plus<>());
}

template <typename Number>
void MpiSum<Number>::start_returning() {
  for (int i = 1; i < size_; ++i) {
    const int from = (rank_ + size_ - i) % size_;
    const int to = (rank_ + i) % size_;
    receive(slice(from), from, 1);
    send(slice(rank_), to, 1);
  }
}

template <typename Number>
bool MpiSum<Number>::advance() {
  int done = 0;
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  if (done == 0) return false;
  if (returning_) return true;
  requests_.clear();
  add_up();
  returning_ = true;
  start_returning();
  return requests_.empty();
}

template class MpiSum<float>;
template class MpiSum<double>;

}  // namespace dragoman
