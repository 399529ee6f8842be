#include "dragoman/core/progress.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/core/terminal.h"
#include "dragoman/core/thread.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

constexpr double first_seconds = 2.0;
constexpr double live_seconds = 0.5;
constexpr double log_seconds = 15.0;
constexpr std::chrono::seconds live_tick{1}, log_tick{60};

}  // namespace

Progress::Progress(std::string what, std::string unit, std::int64_t total)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      next_(has_live_line() ? first_seconds : log_seconds) {}

Progress::~Progress() { live_line(""); }

void Progress::show(std::int64_t done) {
  done_ = done;
  const auto seconds = elapsed();
  if (seconds < next_) return;
  if (has_live_line())
    live_line(line(seconds));
  else
    log_info(line(seconds));
  next_ = seconds + (has_live_line() ? live_seconds : log_seconds);
}

void Progress::finish() {
  live_line("");
  const auto seconds = elapsed();
  if (seconds >= first_seconds)
    log_info(concat(what_, ": ", grouped(done_), ' ', unit_, " in ", duration_text(seconds)));
}

std::string Progress::line(double seconds) const {
  const double rate = static_cast<double>(done_) / seconds;
  std::vector<std::string> fields{what_};
  fields.push_back(total_ > 0 ? concat(std::min<std::int64_t>(100, 100 * done_ / total_), " % of ",
                                       grouped(total_), ' ', unit_)
                              : concat(grouped(done_), ' ', unit_));
  fields.push_back(concat(short_count(rate), ' ', unit_, "/s"));
  if (total_ > 0 && done_ > 0)
    fields.push_back(short_duration(static_cast<double>(total_ - done_) / rate) + " left");
  return fields_in_width(fields, has_live_line() ? terminal_columns() - 1 : std::string::npos);
}

double Progress::elapsed() const { return seconds_since(start_); }

Activity::Activity(std::string what) : what_(std::move(what)) {
  if (log_level() < LogLevel::info) return;
  live_line(what_);
  const SignalsBlocked blocked;
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // If the system refuses a thread, the work continues without the time shown.
  }
}

Activity::~Activity() { stop(); }

void Activity::finish(const std::string& result) {
  stop();
  log_info(concat(result, " in ", duration_text(elapsed())));
}

void Activity::tick() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, has_live_line() ? live_tick : log_tick,
                             [this] { return stopped_; })) {
    const auto time = "  " + short_duration(elapsed());
    if (has_live_line())
      live_line(
          cut_to_width(what_, terminal_columns() - std::min(terminal_columns(), time.size() + 1)) +
          time);
    else
      log_info(concat(what_, ": ", duration_text(elapsed()), " so far"));
  }
}

void Activity::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stopping_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  live_line("");
}

double Activity::elapsed() const { return seconds_since(start_); }

}  // namespace dragoman
