#pragma once

#include "dragoman/config/weight_type.h"

namespace dragoman {

/// Whether this processor has instructions for products of such weights, and `DRAGOMAN_CPU` leaves
/// them in use.
bool has_instructions_for(WeightType type);

/// The type of weights that `precision` asks for; for `automatic` int8 if this processor has
/// instructions for products of it, else float32.
WeightType weight_type(SearchPrecision precision);

/// How many times as long as with float32 a product takes on this processor: 1 if it has
/// instructions for the type, else measured, which takes a few milliseconds.
double time_against_float32(WeightType type);

}  // namespace dragoman
