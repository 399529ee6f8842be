#include "dragoman/core/log.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log_name.h"
#include "dragoman/core/log_time.h"
#include "dragoman/core/utf8.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <mutex>

namespace dragoman {

namespace {

std::atomic<LogLevel> printed_level{LogLevel::info};
std::atomic<bool> time_shown{false};
std::mutex stream_mutex;
bool live_line_shown = false;
std::string log_name;  // "rank 1: " or empty

const char* label(LogLevel level) {
  switch (level) {
    case LogLevel::error: return "dragoman: error: ";
    case LogLevel::warning: return "dragoman: warning: ";
    case LogLevel::info: return "dragoman: ";
    case LogLevel::debug: return "dragoman: debug: ";
  }
  return "";
}

/// "14:03:27 "
std::string clock_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[16] = "";
  if (::localtime_r(&now, &local) != nullptr) std::strftime(text, sizeof text, "%H:%M:%S ", &local);
  return text;
}

std::string prefix(LogLevel level) {
  return time_shown ? clock_time() + label(level) : label(level);
}

void erase_live_line() {
  if (live_line_shown) std::fputs("\r\033[K", stderr);
  live_line_shown = false;
}

}  // namespace

void set_log_level(LogLevel level) { printed_level = level; }

LogLevel log_level() { return printed_level; }

void set_log_time(bool shown) { time_shown = shown; }

void set_log_name(const std::string& name) {
  const std::lock_guard lock(stream_mutex);
  log_name = name + ": ";
}

void log(LogLevel level, std::string_view message) {
  if (level > printed_level) return;
  const std::string text = printable(message, 4000);
  const std::lock_guard lock(stream_mutex);
  const std::string line = concat(prefix(level), log_name, text, '\n');
  erase_live_line();
  std::fputs(line.c_str(), stderr);
}

bool has_live_line() { return isatty(STDERR_FILENO) == 1; }

void live_line(std::string_view line) {
  if (!has_live_line()) return;
  const std::lock_guard lock(stream_mutex);
  erase_live_line();
  if (line.empty()) return;
  std::fputs(printable(line, 400).c_str(), stderr);
  std::fflush(stderr);
  live_line_shown = true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  const bool cut = text.size() > limit;
  std::size_t at = 0;
  while (at < text.size() && at < limit) {
    const auto [code_point, length] = utf8::decode(text, at);
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    if (code_point == utf8::invalid || control) {
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
