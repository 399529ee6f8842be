#pragma once

#include "dragoman/distributed/mpi_watch.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dragoman {

/// A rank and its host.
struct MpiPlace {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among those of the same host
  int local_size = 1;  ///< the number of those
  int host = 0;        ///< the lowest rank of those
};

/// The thread that makes all MPI calls, from initialisation to finalisation. Work is a function
/// that progresses without waiting and returns whether it is done; all posted work is progressed in
/// turn.
class MpiThread {
 public:
  using Work = std::function<bool()>;

  /// \param timeout seconds, for startup and between heartbeats of a rank
  /// \throws DataError if MPI cannot start
  explicit MpiThread(double timeout);

  /// Waits for all ranks to arrive and finalises MPI with them, unless `fail` was called.
  ~MpiThread();

  const MpiPlace& place() const { return place_; }
  MPI_Comm group() const { return group_; }

  void post(Work work);

  /// Waits until all work is done.
  void wait();

  void fail(int exit_code, const std::string& message);

 private:
  void serve_or_exit();
  void serve();
  bool start();
  void take_posted();
  void advance();
  void rest();
  void finish();
  void exit_unless(const std::stop_token& stop) const;

  double timeout_;
  MpiPlace place_;
  MPI_Comm group_ = MPI_COMM_NULL;
  std::unique_ptr<MpiWatch> watch_;
  std::vector<Work> active_;
  int idle_turns_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> posted_;
  std::size_t unfinished_ = 0;
  bool awaited_ = false;
  bool stop_ = false;
  enum class Start { under_way, done, failed } start_ = Start::under_way;
  bool failed_ = false;
  std::string failure_;
  int exit_code_ = 0;
  std::thread thread_;
};

}  // namespace dragoman
