#include "dragoman/core/progress.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <utility>

namespace dragoman {

namespace {

constexpr double first_seconds = 2.0;
constexpr double live_seconds = 0.5;
constexpr double log_seconds = 15.0;

}  // namespace

Progress::Progress(std::string what, std::string unit, std::int64_t total)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      next_(has_live_line() ? first_seconds : log_seconds) {}

Progress::~Progress() { live_line(""); }

void Progress::show(std::int64_t done) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (elapsed.count() < next_) return;
  if (has_live_line())
    live_line(line(done, elapsed.count()));
  else
    log_info(line(done, elapsed.count()));
  next_ = elapsed.count() + (has_live_line() ? live_seconds : log_seconds);
}

std::string Progress::line(std::int64_t done, double seconds) const {
  const double rate = static_cast<double>(done) / seconds;
  const auto speed = concat(", ", static_cast<std::int64_t>(rate), ' ', unit_, "/s");
  if (total_ == 0) return concat(what_, ": ", done, ' ', unit_, speed);
  const double left = static_cast<double>(total_ - done) / rate;
  return concat(what_, ": ", 100 * done / total_, " % of ", total_, ' ', unit_, speed, ", left ",
                static_cast<std::int64_t>(left), " s");
}

}  // namespace dragoman
