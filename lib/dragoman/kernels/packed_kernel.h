#pragma once

#include "dragoman/config/weight_type.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Columns per panel of a packed matrix.
constexpr std::int64_t panel_columns = 64;

/// Rows most of whose words are zero, as those behind relu are in a trained model: only the other
/// words. Products with them have the same sums, as what is left out would add zeros.
struct SparseRows {
  const std::int32_t* words = nullptr;   ///< [rows, depth], the first `counts` of each row; int8:
                                         ///< bytes from 0 to 127. Null = the rows are not sparse
  const std::int32_t* places = nullptr;  ///< [rows, depth], along the depth
  const std::int32_t* counts = nullptr;  ///< [rows]
};

/// Rows of signed bytes for instructions that multiply unsigned by signed bytes and whose sums of
/// two products would not hold those of larger bytes than magnitudes: those of AVX2.
struct SplitRows {
  const std::int32_t* magnitudes = nullptr;  ///< [rows, depth]
  const std::int32_t* masks = nullptr;       ///< [rows, depth], bytes of ones where it is negative
  const std::int32_t* negatives = nullptr;   ///< [rows], sums of the magnitudes of negative bytes
};

/// A product c = a b whose factors are packed into 32-bit words along the depth: one float32, two
/// bf16 or four int8 per word, so that one loop serves all three. Sums of int8 are exact, and the
/// results have the same bits on every processor; those of bf16 differ by how its instructions
/// round products and treat denormals.
struct PackedProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;            ///< words
  const std::int32_t* a = nullptr;   ///< [rows, depth]; int8: unsigned, 128 represents 0
  const std::int32_t* b = nullptr;   ///< [panels, depth, panel_columns]; the last panel is padded
                                     ///< with zeros; int8: -127 to 127; fastest from a multiple of
                                     ///< 64 bytes on, as is `a` with AMX
  const float* bias = nullptr;       ///< [panels * panel_columns]
  const float* row_scale = nullptr;  ///< [rows]; int8 only
  SparseRows sparse = {};            ///< `a` in another form, which tiles of AMX do not read
  SplitRows split = {};              ///< `a` in another form; int8 with AVX2 only
  const float* column_scale = nullptr;  ///< [panels * panel_columns]; int8 only
  const std::int32_t* start = nullptr;  ///< [panels * panel_columns], initial values of the sums:
                                        ///< -128 times the sum of the column's bytes; int8 only
  bool relu = false;                    ///< negative results become 0
  const float* residual = nullptr;      ///< [rows, columns], then added to the result; may be `c`
  float* c = nullptr;                   ///< [rows, columns]
};

/// Writes the columns of the panels in [`first`, `last`).
using PackedKernel = void (*)(const PackedProduct& product, std::int64_t first, std::int64_t last);

/// The loops of one instruction set.
struct PackedLoops {
  const char* instructions;  ///< "AVX-512 VNNI"
  PackedKernel kernel;
};

/// What this processor can run for a type of weights, the best first; `plain_loops` are the last.
/// The environment variable DRAGOMAN_CPU leaves out what is above its value: "amx", "avx512",
/// "avxvnni", "avx2" or "plain" on x86-64, "bf16", "i8mm", "dotprod" or "plain" on arm64, "plain"
/// elsewhere.
/// \throws OptionsError if the variable has another value
std::vector<PackedLoops> packed_loops(WeightType type);

/// The loops for vectors that every processor of the architecture has: SSE2 on x86-64, NEON on
/// arm64.
PackedLoops plain_loops(WeightType type);

// Null if the processor or the compiler lacks the instructions. Those for AMX ask the system for
// its registers, which this process may then use; they are null, too, where DRAGOMAN_CPU excludes
// them.
PackedKernel amx_bf16_kernel();
PackedKernel amx_int8_kernel();
PackedKernel avx512_float32_kernel();
PackedKernel avx512_bf16_kernel();
PackedKernel avx512_int8_kernel();
PackedKernel avx_vnni_kernel();  ///< int8
PackedKernel avx2_kernel(WeightType type);

/// Makes a row of `SplitRows` for `avx2_kernel`; nothing where that is null.
/// \param bytes [depth] unsigned, 128 represents 0
/// \param magnitudes, masks written, [depth]
/// \return the sum of the magnitudes of negative bytes
std::int32_t avx2_split_row(const std::int32_t* bytes, std::int64_t depth, std::int32_t* magnitudes,
                            std::int32_t* masks);

/// What `list_words` finds in a row.
struct ListedWords {
  std::int32_t count = 0;  ///< words that differ from `zero`
  std::int32_t bits = 0;   ///< those that are set in some word of the list
};

/// Lists the words of a row that differ from `zero`, each combined with it by exclusive or.
/// \param words [depth]
/// \param kept, places written, [depth], of which the first `count` matter
ListedWords list_words(const std::int32_t* words, std::int64_t depth, std::int32_t zero,
                       std::int32_t* kept, std::int32_t* places);

using ListWords = decltype(&list_words);
ListWords plain_list_words();
ListWords avx2_list_words();  ///< null if the processor or the compiler lacks the instructions

PackedKernel neon_bf16_kernel();
PackedKernel neon_i8mm_kernel();     ///< int8
PackedKernel neon_dotprod_kernel();  ///< int8

}  // namespace dragoman
