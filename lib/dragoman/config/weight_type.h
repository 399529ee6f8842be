#pragma once

#include <nlohmann/json.hpp>

namespace dragoman {

/// Number type of the weights that translation multiplies by. Sums are float32 (int8: exact, then
/// float32).
enum class WeightType { float32, bf16, int8 };
NLOHMANN_JSON_SERIALIZE_ENUM(WeightType, {{WeightType::float32, "float32"},
                                          {WeightType::bf16, "bf16"},
                                          {WeightType::int8, "int8"}})

}  // namespace dragoman
