#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Tokens that would repeat an n-gram of `ids`.
/// \param n length of the n-gram; 0 = nothing is banned
std::vector<std::int64_t> repeating_tokens(std::span<const std::int32_t> ids, std::int64_t n);

/// True if the same 1 to 32 tokens occur four or more times in a row somewhere, at least 8 tokens
/// in all: the sign of degenerate, repetitive output.
bool has_loop(std::span<const std::int32_t> ids);

}  // namespace dragoman
