#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace dragoman {

/// Tells how far a long piece of work is: on a terminal's live line, elsewhere by a line of the log
/// now and then. Work of less than a few seconds says nothing.
class Progress {
 public:
  /// \param what as in "making runs/a/data/train.tokens"
  /// \param unit as in "pairs"
  /// \param total of units; 0 = not known
  Progress(std::string what, std::string unit, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::int64_t done);

 private:
  std::string line(std::int64_t done, double seconds) const;

  std::string what_, unit_;
  std::int64_t total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double next_ = 0.0;  ///< seconds after the start
};

}  // namespace dragoman
