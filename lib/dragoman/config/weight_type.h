#pragma once

#include "dragoman/config/enum_names.h"

#include <nlohmann/json.hpp>

namespace dragoman {

/// Number type of the weights that translation multiplies by. Sums are float32 (int8: exact, then
/// float32).
enum class WeightType { float32, bf16, int8 };
DRAGOMAN_ENUM_NAMES(WeightType, {{WeightType::float32, "float32"},
                                 {WeightType::bf16, "bf16"},
                                 {WeightType::int8, "int8"}})

/// What `search.precision` asks for: a type, or the one that suits the processor best.
enum class SearchPrecision { automatic, float32, bf16, int8 };
DRAGOMAN_ENUM_NAMES(SearchPrecision, {{SearchPrecision::automatic, "auto"},
                                      {SearchPrecision::float32, "float32"},
                                      {SearchPrecision::bf16, "bf16"},
                                      {SearchPrecision::int8, "int8"}})

/// The `search.precision` that selects this type.
inline SearchPrecision precision_with(WeightType type) {
  switch (type) {
    case WeightType::float32: return SearchPrecision::float32;
    case WeightType::bf16: return SearchPrecision::bf16;
    case WeightType::int8: return SearchPrecision::int8;
  }
  return SearchPrecision::automatic;
}

}  // namespace dragoman
