#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Tokens that would make an n-gram of `ids` come a second time.
/// \param n tokens of the n-gram; 0 = none are banned
std::vector<std::int64_t> repeating_tokens(std::span<const std::int32_t> ids, std::int64_t n);

/// Whether the same 1 to 32 tokens come four times or more in a row somewhere, at least 8 tokens
/// in all: the sign of a model that has lost its way.
bool has_loop(std::span<const std::int32_t> ids);

}  // namespace dragoman
