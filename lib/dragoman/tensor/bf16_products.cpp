#include "dragoman/tensor/bf16_products.h"

#include "dragoman/kernels/bf16_sums.h"

#include <torch/types.h>

#include <algorithm>

namespace dragoman {

namespace {

// The number of rows of a piece is a multiple of `whole_rows` and at most `most_piece_rows`; the
// last rows are padded to a multiple of `padded_rows`.
constexpr std::int64_t most_piece_rows = 4096, whole_rows = 256, padded_rows = 32;

/// Calls `use(first, count)` for pieces of the rows.
template <typename Use>
void for_each_piece(std::int64_t rows, const Use& use) {
  for (std::int64_t first = 0; first < rows;) {
    const auto left = rows - first;
    const auto count =
        left < whole_rows ? left : std::min(most_piece_rows, left - left % whole_rows);
    use(first, count);
    first += count;
  }
}

/// Rows of a piece, and zeros where it has to be padded.
at::Tensor piece_of(const at::Tensor& x, std::int64_t first, std::int64_t count) {
  const auto rows = x.narrow(0, first, count);
  const auto missing = (padded_rows - count % padded_rows) % padded_rows;
  return missing == 0 ? rows : at::constant_pad_nd(rows, {0, 0, 0, missing});
}

}  // namespace

void multiply_bf16_rows(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& bias,
                        const at::Tensor& result) {
  for_each_piece(x.size(0), [&](std::int64_t first, std::int64_t count) {
    const auto rows = piece_of(x, first, count);
    auto to = result.narrow(0, first, count);
    const bool fits = rows.size(0) == count && to.scalar_type() == rows.scalar_type();
    auto product = fits ? to : at::empty({rows.size(0), matrix.size(1)}, rows.options());
    if (bias.defined())
      at::addmm_out(product, bias, rows, matrix);
    else
      at::mm_out(product, rows, matrix);
    if (!fits) to.copy_(product.narrow(0, 0, count));
  });
}

void add_bf16_outer_products(const at::Tensor& a, const at::Tensor& b, const at::Tensor& sums) {
  for_each_piece(a.size(0), [&](std::int64_t first, std::int64_t count) {
    const auto product =
        at::mm(piece_of(a, first, count).t(), piece_of(b, first, count)).contiguous();
    add_bf16(sums.mutable_data_ptr<float>(), static_cast<const Bf16*>(product.const_data_ptr()),
             product.numel());
  });
}

}  // namespace dragoman
