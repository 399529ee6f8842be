#pragma once

#include "dragoman/config/weight_type.h"

#include <string>
#include <string_view>

namespace dragoman {

/// Whether this processor has instructions for products of such weights, and `DRAGOMAN_CPU` leaves
/// them in use.
bool has_instructions_for(WeightType type);

/// Whether translation with int8 is known to be faster than with float32 in the instruction sets
/// that are used for them. Nothing is measured, so that the answer is always the same; false where
/// it never was.
bool is_int8_faster();

/// The type of weights that `precision` asks for; for `automatic` int8 if `is_int8_faster`, else
/// float32.
WeightType weight_type(SearchPrecision precision);

/// How many times as long as with float32 a product takes on this processor: 1 if it has
/// instructions for the type, else measured, which takes a few milliseconds.
double time_against_float32(WeightType type);

/// A warning that products take `times` as long as with float32.
/// \param setting that asks for them: "search.precision=int8"
/// \param machine "processor", or "device", if it has no instructions for them; else empty
std::string slow_products_text(std::string_view setting, double times, std::string_view machine);

}  // namespace dragoman
