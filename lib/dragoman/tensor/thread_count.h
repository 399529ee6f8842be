#pragma once

namespace dragoman {

/// While an instance exists, the LibTorch operations called by this thread use this many threads.
/// No other thread of the process, now or later, is affected, as it is by `at::set_num_threads`.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int openmp_before_, mkl_before_;
};

}  // namespace dragoman
