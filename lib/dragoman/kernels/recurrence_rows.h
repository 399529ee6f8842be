#pragma once

#include <cstdint>

namespace dragoman {

/// One token of a simpler simple recurrent unit: with f = sigmoid(forget), c = f * previous +
/// (1 - f) * candidate.
/// \param previous null = zeros
/// \param state c, written
void ssru_state(const float* forget, const float* candidate, const float* previous,
                std::int64_t count, float* state);

/// sum = sigmoid(gate_x) * x + sigmoid(gate_y) * y for each element. \param sum may be `y`
void gated_sum(const float* gate_x, const float* x, const float* gate_y, const float* y,
               std::int64_t count, float* sum);

}  // namespace dragoman
