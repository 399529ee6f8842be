#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace dragoman {

/// Threads that share the parts of one piece of work after the other. They wait in between.
class ThreadTeam {
 public:
  /// \param threads in all, the caller included
  /// \throws DataError if the system refuses one
  explicit ThreadTeam(std::int64_t threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Calls `work(first, last)` for ranges that make up [0, parts), at most one for each thread, and
  /// returns when all are done and every thread has seen that there is no more of it.
  /// \param grain parts at least of a range
  /// \param work must not throw
  void share(std::int64_t parts, std::int64_t grain,
             const std::function<void(std::int64_t first, std::int64_t last)>& work);

 private:
  void dismiss();
  void wait_for_work(std::int64_t index);
  void do_share(std::int64_t index) const;

  std::int64_t parts_ = 0, ranges_ = 0;
  const std::function<void(std::int64_t, std::int64_t)>* work_ = nullptr;  // null = the end
  std::atomic<std::uint32_t> round_{0};                                    // of work that was begun
  std::atomic<std::int64_t> running_{0};  // threads, besides the caller, that are not yet done
  std::vector<std::jthread> threads_;
};

}  // namespace dragoman
