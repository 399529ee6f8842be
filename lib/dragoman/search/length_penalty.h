#pragma once

#include "dragoman/config/search_options.h"

#include <cmath>
#include <cstdint>

namespace dragoman {

/// The length penalty of Wu et al. (2016, section 7), which section 6.1 uses with alpha = 0.6: a
/// hypothesis' log-probability is divided by it.
/// \param length n, tokens with EOS and without BOS
inline double length_penalty(const SearchOptions& options, std::int64_t length) {
  const auto n = static_cast<double>(length);
  const double base = options.length_penalty_kind == LengthPenaltyKind::gnmt ? (5.0 + n) / 6.0 : n;
  return std::pow(base, options.length_penalty);
}

}  // namespace dragoman
