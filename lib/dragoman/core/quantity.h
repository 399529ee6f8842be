#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

// Quantities as people read them.

inline constexpr double mebibyte = 1048576.0;  ///< bytes

/// Whether a number has no fraction, and is small enough (2^53) for a double to tell it from its
/// neighbours.
bool is_exact_whole(double number);

/// With a comma between thousands: "1,234,567".
std::string grouped(std::int64_t number);

/// With its noun, whose plural ends in "s": "1 update", "1,234 updates".
std::string counted(std::int64_t number, std::string_view noun);

/// With this many digits after the point, in any locale, as C's "%.*f" in its own: "3.14". A
/// number that is rounded to zero has no sign.
std::string decimal(double value, int digits);

/// The same with its sign: "+3.14". Zero has a plus.
std::string signed_decimal(double value, int digits);

/// In two or three digits: "87", "987", "3.3k", "14k", "2.1M", "1.5G". \param value at least 0
std::string short_count(double value);

/// A size in units of 1000: "8 kB", "2.5 MB", "1.3 GB". \param bytes at least 0
std::string bytes_text(double bytes);

/// A number of floating-point operations: "3.0 MFLOP", "569 GFLOP". \param flops at least 0
std::string flops_text(double flops);

/// "250 days", "5 days 3 h", "84 h 12 min", "3 min 20 s", "12 s"
std::string duration_text(double seconds);

/// The same in few columns: "1h02", "3m20", "12s"
std::string short_duration(double seconds);

/// The local time of day: "14:03:10"
std::string clock_text();

}  // namespace dragoman
