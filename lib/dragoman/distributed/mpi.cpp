#include "dragoman/distributed/mpi.h"

#include "dragoman/distributed/mpi_sum.h"
#include "dragoman/distributed/mpi_thread.h"

#include <algorithm>
#include <array>

namespace dragoman {

namespace {

/// Bytes per call: counts are `int` in MPI.
constexpr std::size_t largest_message = std::size_t{1} << 28;

/// Work that starts requests once and is done when they complete.
template <typename Begin>
MpiThread::Work until_done(Begin begin) {
  return [begin, requests = std::vector<MPI_Request>(), begun = false]() mutable {
    if (!begun) begin(requests);
    begun = true;
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  };
}

template <typename Number>
MpiThread::Work summing(std::span<Number> values, MPI_Comm group, std::int64_t channel) {
  return [=, sum = std::shared_ptr<MpiSum<Number>>()]() mutable {
    if (!sum) sum = std::make_shared<MpiSum<Number>>(values, group, static_cast<int>(channel));
    return sum->advance();
  };
}

}  // namespace

Mpi::Mpi(double timeout) : thread_(std::make_unique<MpiThread>(timeout)) {}

Mpi::~Mpi() = default;

std::int64_t Mpi::rank() const { return thread_->place().rank; }

std::int64_t Mpi::size() const { return thread_->place().size; }

std::int64_t Mpi::local_rank() const { return thread_->place().local_rank; }
std::int64_t Mpi::local_size() const { return thread_->place().local_size; }
std::int64_t Mpi::host() const { return thread_->place().host; }

void Mpi::start_sum(std::span<float> values, std::int64_t channel) {
  thread_->post(summing(values, thread_->group(), channel));
}

void Mpi::start_sum(std::span<double> values, std::int64_t channel) {
  thread_->post(summing(values, thread_->group(), channel));
}

void Mpi::wait() { thread_->wait(); }

void Mpi::broadcast(std::span<std::byte> bytes) {
  thread_->post(until_done([bytes, group = thread_->group()](std::vector<MPI_Request>& requests) {
    for (std::size_t at = 0; at < bytes.size(); at += largest_message)
      MPI_Ibcast(bytes.data() + at, static_cast<int>(std::min(largest_message, bytes.size() - at)),
                 MPI_BYTE, 0, group, &requests.emplace_back());
  }));
  wait();
}

std::vector<std::string> Mpi::gather(const std::string& text) {
  const auto ranks = static_cast<std::size_t>(size());
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(ranks), offsets(ranks);
  thread_->post(until_done([&](std::vector<MPI_Request>& requests) {
    MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, thread_->group(),
                   &requests.emplace_back());
  }));
  wait();
  for (std::size_t i = 1; i < ranks; ++i) offsets[i] = offsets[i - 1] + lengths[i - 1];
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  thread_->post(until_done([&](std::vector<MPI_Request>& requests) {
    MPI_Iallgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                    MPI_CHAR, thread_->group(), &requests.emplace_back());
  }));
  wait();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(
        all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

void Mpi::fail(int exit_code, const std::string& message) { thread_->fail(exit_code, message); }

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data());
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace dragoman
