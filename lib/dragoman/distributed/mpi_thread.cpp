#include "dragoman/distributed/mpi_thread.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

namespace dragoman {

namespace {

using namespace std::chrono_literals;

/// Polling iterations without sleep while a thread waits for the work: a few milliseconds.
constexpr int busy_turns = 2000;

/// "rank 3 (node7, process 4242)" of each rank.
std::vector<std::string> names_of(MPI_Comm group, const MpiPlace& place) {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 64> own{};
  int length = 0;
  MPI_Get_processor_name(own.data(), &length);
  const auto text = concat("rank ", place.rank, " (", own.data(), ", process ", ::getpid(), ")");
  own = {};
  text.copy(own.data(), own.size() - 1);
  std::vector<char> all(own.size() * static_cast<std::size_t>(place.size));
  MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, all.data(),
                static_cast<int>(own.size()), MPI_CHAR, group);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); i += own.size()) names.emplace_back(all.data() + i);
  return names;
}

MpiPlace place_of_process() {
  MpiPlace place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &place.local_rank);
  MPI_Comm_size(host, &place.local_size);
  place.host = place.rank;
  MPI_Bcast(&place.host, 1, MPI_INT, 0, host);
  MPI_Comm_free(&host);
  return place;
}

}  // namespace

MpiThread::MpiThread(double timeout)
    : timeout_(timeout), thread_(start_thread<std::thread>([this] { serve_or_exit(); })) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return start_ != Start::under_way; };
  if (!changed_.wait_for(lock, std::chrono::duration<double>(timeout), ready)) {
    log(LogLevel::error, concat("MPI has not started within ", timeout,
                                " s; a process may be stopped or a host unreachable; check the "
                                "others, or raise --distributed-timeout"));
    std::_Exit(static_cast<int>(ExitCode::data));
  }
  if (start_ == Start::done) return;
  lock.unlock();
  thread_.join();
  throw DataError("MPI cannot start; see its messages above");
}

MpiThread::~MpiThread() {
  if (!failed_) {
    // Progressed like all other work, so that heartbeats continue while other ranks are still busy.
    post([request = MPI_REQUEST_NULL, begun = false, group = group_]() mutable {
      if (!begun) MPI_Ibarrier(group, &request);
      begun = true;
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
    wait();
  }
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool MpiThread::start() {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    return false;
  place_ = place_of_process();
  MPI_Comm_dup(MPI_COMM_WORLD, &group_);
  watch_ = std::make_unique<MpiWatch>(MPI_COMM_WORLD, timeout_, names_of(group_, place_));
  return true;
}

/// MPI can neither continue nor end without this thread.
void MpiThread::serve_or_exit() {
  try {
    serve();
  } catch (const std::exception& error) {
    log(LogLevel::error, concat("mpi: the thread that calls it failed: ", error.what(),
                                "; start all processes again to resume"));
    std::_Exit(static_cast<int>(ExitCode::data));
  }
}

void MpiThread::serve() {
  const bool started = start();
  {
    const std::lock_guard lock(mutex_);
    start_ = started ? Start::done : Start::failed;
  }
  changed_.notify_all();
  if (!started) return;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stop_ || failed_) break;
    }
    take_posted();
    advance();
    watch_->look();
    rest();
  }
  finish();
}

void MpiThread::take_posted() {
  const std::lock_guard lock(mutex_);
  for (auto& work : posted_) active_.push_back(std::move(work));
  if (!posted_.empty()) idle_turns_ = 0;
  posted_.clear();
}

void MpiThread::advance() {
  const auto done = std::erase_if(active_, [](const Work& work) { return work(); });
  if (done == 0) return;
  idle_turns_ = 0;
  {
    const std::lock_guard lock(mutex_);
    unfinished_ -= done;
  }
  changed_.notify_all();
}

void MpiThread::rest() {
  std::unique_lock lock(mutex_);
  if (active_.empty()) {
    changed_.wait_for(lock, 5ms, [this] { return stop_ || failed_ || !posted_.empty(); });
    return;
  }
  // While the other threads compute, CPU time matters more than the latency of a sum.
  if (awaited_ && ++idle_turns_ < busy_turns) return;
  changed_.wait_for(lock, awaited_ ? 50us : 200us,
                    [this] { return stop_ || failed_ || !posted_.empty(); });
}

void MpiThread::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    ++unfinished_;
  }
  changed_.notify_all();
}

void MpiThread::wait() {
  std::unique_lock lock(mutex_);
  awaited_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return unfinished_ == 0; });
  awaited_ = false;
}

void MpiThread::fail(int exit_code, const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failed_ = true;
    failure_ = message;
    exit_code_ = exit_code;
  }
  changed_.notify_all();
}

void MpiThread::finish() {
  if (failed_) {
    watch_->tell(exit_code_, failure_);
    return;  // finalising MPI would wait for the others
  }
  // All ranks have arrived, and none sends a heartbeat from now on.
  const auto watchdog =
      start_thread<std::jthread>([this](const std::stop_token& stop) { exit_unless(stop); });
  watch_->stop();
  MPI_Comm_free(&group_);
  MPI_Finalize();
}

/// Ends the process after the time for a heartbeat, with a message, unless `stop` asks before.
void MpiThread::exit_unless(const std::stop_token& stop) const {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, std::chrono::duration<double>(timeout_ + 1.0), [] { return false; });
  if (stop.stop_requested()) return;
  log(LogLevel::error,
      concat("the processes did not end MPI within ", timeout_ + 1.0,
             " s: one was lost at the end; start them again if the last checkpoint is missing"));
  std::_Exit(static_cast<int>(ExitCode::data));
}

}  // namespace dragoman
