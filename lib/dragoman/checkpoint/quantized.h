#pragma once

#include "dragoman/checkpoint/tensor_file.h"
#include "dragoman/config/weight_type.h"

namespace dragoman {

/// Key of a model file's metadata that says what its matrices are, where they are not float32.
constexpr const char* weight_type_key = "weight_type";

/// The matrices of `tensors` as fewer bytes; everything else stays as it is. float32: as it is too.
/// bf16: rounded to the nearest. int8: each row by itself as round(w / scale) with
/// scale = max|w| / 127, and beside the matrix NAME a float32 vector NAME.row_scale.
NamedTensors quantized(const NamedTensors& tensors, WeightType type);

/// The float32 weights that such tensors stand for. What is float32 already stays as it is.
/// \param place named in messages
/// \throws FormatError if a matrix and its scales do not belong together.
NamedTensors dequantized(NamedTensors tensors, const std::string& place);

}  // namespace dragoman
