#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Rows of ids as a rectangle.
struct PaddedIds {
  at::Tensor ids;   ///< [rows, longest] int64, `pad` after each row's end
  at::Tensor mask;  ///< [rows, longest] bool, true = a real token
};

/// \param rows at least one; empty rows are allowed as long as one is not
PaddedIds pad_rows(std::span<const std::vector<std::int32_t>> rows, std::int64_t pad);

}  // namespace dragoman
