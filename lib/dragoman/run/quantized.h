#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/run/tensor_file.h"

namespace dragoman {

/// The matrices of `tensors` in a smaller type; everything else is unchanged. float32: unchanged.
/// bf16: rounded to nearest. int8: each row separately as round(w / scale) with scale = max|w| /
/// 127, and for each matrix NAME a float32 vector NAME.row_scale.
NamedTensors quantized(const NamedTensors& tensors, WeightType type);

/// The float32 weights that such tensors represent. Tensors that are already float32 are unchanged.
/// \param place named in messages
/// \throws FormatError if a matrix and its scales do not match.
NamedTensors dequantized(NamedTensors tensors, const std::string& place);

}  // namespace dragoman
