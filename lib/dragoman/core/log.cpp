#include "dragoman/core/log.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/terminal.h"
#include "dragoman/core/utf8.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

namespace dragoman {

namespace {

std::atomic<LogLevel> printed_level{LogLevel::info};
std::atomic<bool> time_shown{false};
std::mutex stream_mutex;
std::size_t live_width = 0;       // columns that the live line was drawn with
std::recursive_mutex sink_mutex;  // taken before stream_mutex; held while the sink is called

// Never destroyed, since threads may log after the end of `main`.
auto& live_text = immortal(std::string());  // of the live line; empty = there is none
auto& log_name = immortal(std::string());   // "rank 1: " or empty
auto& log_sink = immortal(std::shared_ptr<const LogSink>());

const char* label(LogLevel level) {
  switch (level) {
    case LogLevel::error: return "dragoman: error: ";
    case LogLevel::warning: return "dragoman: warning: ";
    case LogLevel::info: return "dragoman: ";
    case LogLevel::debug: return "dragoman: debug: ";
  }
  return "";
}

std::string prefix(LogLevel level) {
  return time_shown ? concat(clock_text(), ' ', label(level)) : label(level);
}

/// What removes the live line, which is then taken to be gone. A terminal that was made narrower
/// since it was drawn has wrapped it.
std::string live_line_erased() {
  if (live_width == 0) return {};
  const auto rows_above = (live_width - 1) / terminal_columns();
  live_width = 0;
  return rows_above > 0 ? concat("\r\033[", rows_above, "A\033[J") : "\r\033[J";
}

/// The last column stays free: some terminals wrap as soon as it is written.
std::string live_line_drawn() {
  if (live_text.empty()) return {};
  const auto line = cut_to_width(live_text, terminal_columns() - 1);
  live_width = display_width(line);
  return line;
}

}  // namespace

void set_log_level(LogLevel level) { printed_level = level; }

LogLevel log_level() { return printed_level; }

void show_log_time() { time_shown = true; }

bool log_time() { return time_shown; }

void set_log_name(const std::string& name) {
  const std::lock_guard lock(stream_mutex);
  log_name = name + ": ";
}

void set_log_sink(LogSink sink) {
  auto given = sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
  const std::lock_guard call(sink_mutex);  // waits for a call of the former one by another thread
  const std::lock_guard lock(stream_mutex);
  log_sink.swap(given);  // the former one ends after the locks
}

namespace {

/// Whether there is a sink, which has then taken the message.
bool sink_takes(LogLevel level, const std::string& text) {
  const std::lock_guard call(sink_mutex);
  std::shared_ptr<const LogSink> sink;  // one that is replaced by itself ends after its call
  std::string name;
  {
    const std::lock_guard lock(stream_mutex);
    sink = log_sink;
    name = log_name;
  }
  if (!sink) return false;
  (*sink)(level, name + text);
  return true;
}

}  // namespace

void log(LogLevel level, std::string_view message) {
  if (level > printed_level) return;
  const std::string text = printable(message, 4000);
  if (sink_takes(level, text)) return;
  const std::lock_guard lock(stream_mutex);
  if (level == LogLevel::error) live_text.clear();  // the last line of a program that ends
  auto line = live_line_erased();
  line += concat(prefix(level), log_name, text, '\n');
  line += live_line_drawn();
  std::fputs(line.c_str(), stderr);
}

bool has_live_line() {
  if (printed_level < LogLevel::info || !stderr_is_terminal()) return false;
  const std::lock_guard lock(stream_mutex);
  return log_sink == nullptr;
}

void live_line(std::string_view line) {
  if (!has_live_line()) return;
  const std::lock_guard lock(stream_mutex);
  live_text = printable(line, 4000);
  auto drawn = live_line_erased();
  drawn += live_line_drawn();
  std::fputs(drawn.c_str(), stderr);
  std::fflush(stderr);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  const bool cut = text.size() > limit;
  std::size_t at = 0;
  while (at < text.size() && at < limit) {
    const auto [code_point, length] = utf8::decode(text, at);
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    // What ends a line or turns the direction of the rest of the message.
    const bool turns = (code_point >= 0x2028 && code_point <= 0x202E) ||
                       (code_point >= 0x2066 && code_point <= 0x2069);
    if (code_point == utf8::invalid || control || turns) {
      for (std::size_t i = 0; i < length; ++i) {
        char hex[8];
        std::snprintf(hex, sizeof hex, "\\x%02X", static_cast<unsigned char>(text[at + i]));
        out += hex;
      }
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  if (cut) out += concat("... (", text.size(), " bytes)");
  return out;
}

}  // namespace dragoman
