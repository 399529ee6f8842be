#include "dragoman/core/simd.h"
#include "dragoman/kernels/packed_kernel.h"

#if defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__AMX_BF16__) && defined(__linux__)

#include "dragoman/kernels/packed_avx512.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace dragoman {

namespace {

// A tile register holds 16 rows of 16 words. Registers 0 to 3 are two by two tiles of sums, 4 and 5
// rows of a, 6 and 7 columns of b.
constexpr int tile_size = 16;
constexpr int block_size = 2 * tile_size;  // rows and columns that are computed together

/// The number and the length of the rows in each register, as LDTILECFG reads them.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{};
  std::array<std::uint8_t, 16> rows{};
};

/// \param rows of a block, at most 32
TileShapes shapes_for(int rows) {
  TileShapes shapes;
  const std::array rows_of_half = {std::min(rows, tile_size), std::max(rows - tile_size, 1)};
  for (std::size_t tile = 0; tile < 8; ++tile) {
    const auto half = tile < 4 ? tile / 2 : tile - 4;
    shapes.rows[tile] = static_cast<std::uint8_t>(tile < 6 ? rows_of_half[half] : tile_size);
    shapes.row_bytes[tile] = tile_size * sizeof(std::int32_t);
  }
  return shapes;
}

/// Four products of an unsigned and a signed byte at a time, summed exactly.
struct Bytes : Avx512Bytes {
  static void add_upper() {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
  }
  static void add_lower() {
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  static Sum total(Sum start, __m512i sums) { return _mm512_add_epi32(start, sums); }
};

/// Two products of bf16 at a time, summed in float32.
struct Bf16s : Avx512Floats {
  static void add_upper() {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
  }
  static void add_lower() {
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  static Sum total(Sum, __m512i sums) { return _mm512_castsi512_ps(sums); }
};

/// Blocks of one height, computed one after the other. What the tiles hold is written to memory and
/// read back one block later, as reading it at once would wait for the processor's stores.
/// \tparam halves 1 for up to 16 rows, else 2
template <typename Dot, int halves>
class Blocks {
 public:
  Blocks(const PackedProduct& product, int rows) : product_(product), rows_(rows) {
    const auto shapes = shapes_for(rows);
    // GCC 12's function tells the compiler of 8 of the 64 bytes that are read (GCC bug 114098).
    asm volatile("" : : "r"(&shapes) : "memory");
    _tile_loadconfig(&shapes);
  }

  void multiply(std::int64_t row, std::int64_t column) {
    if (results_are_far_) fetch_results(row, column);
    add_products(row, column);
    finish();
    store_tiles();
    row_ = row;
    column_ = column;
  }

  /// Writes the last block's results.
  void finish() {
    if (row_ < 0) return;
    for (int c = 0; c < block_size; c += tile_size) {
      const Results<Dot> results(product_, column_ + c);
      const auto start = Dot::begin(product_, column_ + c);
      for (int r = 0; r < rows_; ++r)
        results.write(row_ + r, Dot::total(start, _mm512_load_si512(sums_[r] + c)));
    }
  }

 private:
  /// Fetches the cache lines of the results: waiting for them later would take longer than the
  /// products.
  void fetch_results(std::int64_t row, std::int64_t column) {
    for (int r = 0; r < rows_; ++r) {
      const auto* to = product_.c + (row + r) * product_.columns + column;
      __builtin_prefetch(to, 1);
      __builtin_prefetch(to + tile_size, 1);
    }
  }

  void add_products(std::int64_t row, std::int64_t column) {
    constexpr std::int64_t b_stride = panel_columns * sizeof(std::int32_t);
    const auto a_stride = product_.depth * std::int64_t{sizeof(std::int32_t)};
    const auto* a = product_.a + row * product_.depth;
    const auto within = column % panel_columns;
    const auto* b = product_.b + (column - within) * product_.depth + within;
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (halves == 2) {
      _tile_zero(2);
      _tile_zero(3);
    }
    for (std::int64_t p = 0; p < product_.depth; p += tile_size) {
      _tile_loadd(4, a + p, a_stride);
      _tile_loadd(6, b + p * panel_columns, b_stride);
      _tile_loadd(7, b + p * panel_columns + tile_size, b_stride);
      Dot::add_upper();
      if constexpr (halves == 2) {
        _tile_loadd(5, a + tile_size * product_.depth + p, a_stride);
        Dot::add_lower();
      }
    }
  }

  void store_tiles() {
    constexpr std::int64_t stride = sizeof sums_[0];
    _tile_stored(0, sums_[0], stride);
    _tile_stored(1, sums_[0] + tile_size, stride);
    if constexpr (halves == 2) {
      _tile_stored(2, sums_[tile_size], stride);
      _tile_stored(3, sums_[tile_size] + tile_size, stride);
    }
  }

  static constexpr std::int64_t l2_floats = 1 << 19;  // in 2 MiB, as all these processors have

  const PackedProduct& product_;
  int rows_;
  bool results_are_far_ = product_.rows * product_.columns > l2_floats;
  std::int64_t row_ = -1, column_ = 0;  // of the last block
  alignas(64) std::int32_t sums_[block_size][block_size];
};

/// The rows from `row` on, in blocks of `height` rows, in the panels from `first` to `last` - 1.
template <typename Dot, int halves>
void multiply_blocks(const PackedProduct& product, std::int64_t first, std::int64_t last,
                     std::int64_t row, int height) {
  Blocks<Dot, halves> blocks(product, height);
  for (auto panel = first; panel < last; ++panel)
    for (auto r = row; r + height <= product.rows; r += height)
      for (auto column = panel * panel_columns;
           column < (panel + 1) * panel_columns && column < product.columns; column += block_size)
        blocks.multiply(r, column);
  blocks.finish();
}

/// \tparam otherwise for fewer than `least_rows` rows, and rows that are not made of whole tiles
template <typename Dot, int least_rows, PackedKernel (*otherwise)()>
void multiply_tiles(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  if (product.rows < least_rows || product.depth % tile_size != 0)
    return otherwise()(product, first, last);
  const auto left = static_cast<int>(product.rows % block_size);
  if (product.rows >= block_size) multiply_blocks<Dot, 2>(product, first, last, 0, block_size);
  if (left > tile_size)
    multiply_blocks<Dot, 2>(product, first, last, product.rows - left, left);
  else if (left > 0)
    multiply_blocks<Dot, 1>(product, first, last, product.rows - left, left);
  _tile_release();
}

/// Asks the system for the tile registers, for this process.
bool get_tiles() {
  // Not every compiler's __builtin_cpu_supports knows these names.
  constexpr unsigned in_edx = 1U << 22 | 1U << 24 | 1U << 25;  // AMX-BF16, AMX-TILE, AMX-INT8
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & in_edx) != in_edx)
    return false;
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

bool may_use_tiles() {
  if (best_allowed_instructions() > 0) return false;
  static const bool may = get_tiles();
  return may;
}

}  // namespace

PackedKernel amx_bf16_kernel() {
  return avx512_bf16_kernel() != nullptr && may_use_tiles()
             ? multiply_tiles<Bf16s, 1, avx512_bf16_kernel>  // the same sums for all rows
             : nullptr;
}

PackedKernel amx_int8_kernel() {
  return avx512_int8_kernel() != nullptr && may_use_tiles()
             ? multiply_tiles<Bytes, 8, avx512_int8_kernel>
             : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::amx_bf16_kernel() { return nullptr; }
dragoman::PackedKernel dragoman::amx_int8_kernel() { return nullptr; }

#endif
