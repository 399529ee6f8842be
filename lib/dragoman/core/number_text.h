#pragma once

#include <cstdint>
#include <string>

namespace dragoman {

/// 1234567 as "1,234,567".
std::string grouped(std::int64_t number);

/// A size for people, in units of 1000: "8 kB", "2.5 MB", "1.3 GB".
std::string bytes_text(double bytes);

}  // namespace dragoman
