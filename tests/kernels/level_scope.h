#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace test {

/// While an instance exists, DRAGOMAN_CPU has this value; then the one that it had.
class LevelScope {
 public:
  explicit LevelScope(std::string_view level) {
    if (const char* const value = std::getenv(name)) before_ = value;
    ::setenv(name, std::string(level).c_str(), 1);
  }
  ~LevelScope() {
    if (before_)
      ::setenv(name, before_->c_str(), 1);
    else
      ::unsetenv(name);
  }
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;

 private:
  static constexpr const char* name = "DRAGOMAN_CPU";
  std::optional<std::string> before_;
};

}  // namespace test
