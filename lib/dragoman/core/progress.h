#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace dragoman {

/// Shows the progress of long work: on a terminal's live line, elsewhere by an occasional line
/// of the log. Work of less than a few seconds shows nothing.
class Progress {
 public:
  /// \param what as in "encoding the training text"
  /// \param unit as in "pairs"
  /// \param total of units; 0 = not known
  Progress(std::string what, std::string unit, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` units are finished so far.
  void show(std::int64_t done);

  /// Logs the time that the work took, if that was more than a few seconds.
  void finish();

 private:
  std::string line(double seconds) const;
  double elapsed() const;

  std::string what_, unit_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_ = 0.0;  ///< seconds after the start
};

/// The same for work whose progress is unknown: shows how long it has taken so far, from a
/// thread of its own.
class Activity {
 public:
  /// \param what as in "learning 8,000 pieces from a.de and a.en"
  explicit Activity(std::string what);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// Logs `result` and the time that the work took: "learned 8,000 pieces in 12 s".
  void finish(const std::string& result);

 private:
  void tick();
  void stop();
  double elapsed() const;

  std::string what_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;
  std::thread ticker_;
};

}  // namespace dragoman
