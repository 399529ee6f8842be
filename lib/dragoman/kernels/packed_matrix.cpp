#include "dragoman/kernels/packed_matrix.h"

#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/kernels/packed_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dragoman {

namespace {

std::int64_t numbers_in_word(WeightType type) {
  switch (type) {
    case WeightType::float32: return 1;
    case WeightType::bf16: return 2;
    case WeightType::int8: return 4;
  }
  return 1;
}

/// The loops of all products in this process.
template <WeightType type>
const PackedLoops& best_loops_of() {
  static const auto best = packed_loops(type).front();
  return best;
}

const PackedLoops& best_loops(WeightType type) {
  switch (type) {
    case WeightType::bf16: return best_loops_of<WeightType::bf16>();
    case WeightType::int8: return best_loops_of<WeightType::int8>();
    case WeightType::float32: break;
  }
  return best_loops_of<WeightType::float32>();
}

/// Whether the loops of int8 read `PackedProduct::split`.
bool reads_split_rows() {
  static const bool reads = best_loops(WeightType::int8).kernel == avx2_kernel(WeightType::int8);
  return reads;
}

/// Whether a product runs in tiles of AVX-512, which reach the peak from four rows on.
bool has_wide_tiles(WeightType type, std::int64_t rows) {
  constexpr std::int64_t least_tile_rows = 8;  // of int8; fewer are left to AVX-512
  const auto kernel = best_loops(type).kernel;
  switch (type) {
    case WeightType::float32: return kernel == avx512_float32_kernel();
    case WeightType::bf16: return kernel == avx512_bf16_kernel();
    case WeightType::int8: break;
  }
  return kernel == avx512_int8_kernel() || (kernel == amx_int8_kernel() && rows < least_tile_rows);
}

/// The share of words that are not zero below which a product with sparse rows is faster. Each row
/// reads the matrix again, often from the second cache.
/// \param depth words in a row
double most_sparse_words(WeightType type, std::int64_t rows, std::int64_t depth) {
  constexpr double usual = 0.4;
  constexpr std::int64_t depth_in_cache = 128;  // words of two panels in the first cache
  const auto kernel = best_loops(type).kernel;
  if (type == WeightType::int8 && reads_split_rows()) return 1.0;  // also without signs
  if (has_wide_tiles(type, rows))
    return rows == 1 ? 0.6 : rows < 4 || depth <= depth_in_cache ? usual : 0.28;
  if (kernel == amx_int8_kernel() || kernel == amx_bf16_kernel()) return 0.0;
  return kernel == neon_i8mm_kernel() ? 0.2 : usual;
}

constexpr std::int32_t byte_zero = 128;

std::int64_t words_in_row(std::int64_t width, WeightType type) {
  return (width + numbers_in_word(type) - 1) / numbers_in_word(type);
}

}  // namespace

bool has_packed_kernel(WeightType type) {
  return best_loops(type).kernel != plain_loops(type).kernel;
}

std::string packed_instructions(WeightType type) { return best_loops(type).instructions; }

void PackedRows::set(const float* x, std::int64_t rows, std::int64_t width, WeightType type) {
  rows_ = rows;
  width_ = width;
  type_ = type;
  const auto depth = words_in_row(width, type);
  if (type == WeightType::float32) {
    words_ = reinterpret_cast<const std::int32_t*>(x);
  } else {
    own_words_.resize(static_cast<std::size_t>(rows * depth));
    words_ = own_words_.data();
    pack(x);
  }
  const bool sparse = sparse_.set(words_, rows, depth, type, most_sparse_words(type, rows, depth));
  if (!sparse && type == WeightType::int8 && reads_split_rows()) split_.set(words_, rows, depth);
}

/// Into `own_words_`.
void PackedRows::pack(const float* x) {
  const auto depth = words_in_row(width_, type_);
  if (type_ == WeightType::int8) scales_.resize(static_cast<std::size_t>(rows_));
  for (std::int64_t r = 0; r < rows_; ++r) {
    const auto* row = x + r * width_;
    auto* to = own_words_.data() + r * depth;
    if (type_ == WeightType::bf16)
      pack_bf16_row(row, width_, to);
    else
      scales_[static_cast<std::size_t>(r)] = pack_int8_row(row, width_, byte_zero, to);
  }
}

void expect_finite_weights(std::span<const float> weights) {
  if (!std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); }))
    throw DataError(
        "model: a weight is NaN or infinite; use another checkpoint, this one is damaged");
}

PackedMatrix::PackedMatrix(std::span<const float> weight, std::span<const float> bias,
                           std::int64_t outputs, std::int64_t inputs, WeightType type)
    : type_(type),
      outputs_(outputs),
      inputs_(inputs),
      panels_((outputs_ + panel_columns - 1) / panel_columns),
      depth_(words_in_row(inputs, type)),
      words_(static_cast<std::size_t>(panels_ * depth_ * panel_columns)),
      bias_(static_cast<std::size_t>(panels_ * panel_columns)) {
  if (!bias.empty() && std::ssize(bias) != outputs)
    throw ContractError(
        concat("packed matrix: ", bias.size(), " biases for ", outputs, " outputs"));
  expect_finite_weights(weight);
  constexpr std::int64_t most_int8_products = ((std::int64_t{1} << 31) - 1) / (127 * 127);
  if (type == WeightType::int8 && inputs > most_int8_products)
    throw OptionsError(concat("search.precision: int8 sums hold at most ", most_int8_products,
                              " products, and this model needs ", inputs, "; choose float32"));
  std::ranges::copy(bias, bias_.begin());
  if (type == WeightType::int8) {
    column_scale_.resize(bias_.size());
    start_.resize(bias_.size());
  }
  std::vector<std::int32_t> row(static_cast<std::size_t>(depth_));
  for (std::int64_t column = 0; column < outputs_; ++column) {
    pack_column(weight.data() + column * inputs_, column, row);
    auto* to =
        words_.data() + (column / panel_columns) * depth_ * panel_columns + column % panel_columns;
    for (std::int64_t p = 0; p < depth_; ++p)
      to[p * panel_columns] = row[static_cast<std::size_t>(p)];
  }
}

/// One output's weights as words.
void PackedMatrix::pack_column(const float* weight, std::int64_t column,
                               std::vector<std::int32_t>& words) {
  switch (type_) {
    case WeightType::float32:
      std::transform(weight, weight + inputs_, words.begin(),
                     [](float value) { return std::bit_cast<std::int32_t>(value); });
      return;
    case WeightType::bf16: return pack_bf16_row(weight, inputs_, words.data());
    case WeightType::int8: break;
  }
  const auto place = static_cast<std::size_t>(column);
  column_scale_[place] = pack_int8_row(weight, inputs_, 0, words.data());
  // The bytes of x are offset by byte_zero, which is subtracted in advance.
  std::int32_t sum = 0;
  const auto* bytes = reinterpret_cast<const std::int8_t*>(words.data());
  for (std::int64_t i = 0; i < inputs_; ++i) sum += bytes[i];
  // As in the kernels' sums, what does not fit is taken modulo 2^32.
  start_[place] = static_cast<std::int32_t>(-static_cast<std::uint32_t>(byte_zero) *
                                            static_cast<std::uint32_t>(sum));
}

std::int64_t PackedMatrix::grain(const PackedRows& x) const {
  constexpr std::int64_t least_products = 1 << 19;
  const auto of_panel = x.rows() * x.width() * outputs_ / panels_;
  return least_products / std::max<std::int64_t>(of_panel, 1) + 1;
}

void PackedMatrix::multiply(const PackedRows& x, const ProductResult& result) const {
  multiply(x, result, 0, panels_);
}

void PackedMatrix::multiply(const PackedRows& x, const ProductResult& result, std::int64_t first,
                            std::int64_t last) const {
  if (x.type_ != type_ || x.width_ != inputs_)
    throw ContractError(concat("packed product: rows of ", x.width_, " ", option_text(x.type_),
                               " for a matrix of ", inputs_, " ", option_text(type_)));
  const PackedProduct product{.rows = x.rows_,
                              .columns = outputs_,
                              .depth = depth_,
                              .a = x.words_,
                              .b = words_.data(),
                              .bias = bias_.data(),
                              .row_scale = x.scales_.data(),
                              .sparse = x.sparse_.rows(),
                              .split = x.split_.rows(),
                              .column_scale = column_scale_.data(),
                              .start = start_.data(),
                              .relu = result.relu,
                              .residual = result.residual,
                              .c = result.c};
  best_loops(type_).kernel(product, first, last);
}

}  // namespace dragoman
