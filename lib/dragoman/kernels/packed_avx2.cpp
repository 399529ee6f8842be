#include "dragoman/kernels/packed_kernel.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "dragoman/kernels/packed_avx2.h"

namespace dragoman {

namespace {

/// Sums of float32.
struct Avx2Floats : Avx2 {
  using Sum = Floats;
  static constexpr int tile_rows = 6;
  static Sum begin(const PackedProduct&, std::int64_t) { return _mm256_setzero_ps(); }
};

struct Float32Dot : Avx2Floats {
  static void add(Sum& sum, Words a, Words b) {
    sum = _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), sum);
  }
};

/// The two bf16 of a word, each widened to float32.
struct Bf16Dot : Avx2Floats {
  static constexpr int tile_rows = 4;  // the widened factors need registers too
  static __m256 low(Words words) { return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16)); }
  static __m256 high(Words words) {
    return _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(~0xFFFF)));
  }
  static void add(Sum& sum, Words a, Words b) {
    sum = _mm256_fmadd_ps(high(a), high(b), _mm256_fmadd_ps(low(a), low(b), sum));
  }
};

/// Four products of signed bytes, summed exactly: for an unsigned byte up to 255, the instruction
/// for bytes (vpmaddubsw) would saturate, so that it gets magnitudes of a, and b with the signs of
/// a. With bytes of b inverted where a < 0, as ~b = -b - 1, each such product lacks |a|, which is
/// added at the end; vpsignb, which negates, would compete with the multiplications for execution
/// units.
struct Int8Dot : Avx2Integers {
  static void add(Sum& sum, Words magnitudes, Words b) {
    const auto pairs = _mm256_maddubs_epi16(magnitudes, b);
    // As _mm256_add_epi32, for which GCC 12 copies each sum twice.
    asm("vpaddd %1, %0, %0" : "+x"(sum) : "x"(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
  }
};

/// One row times one panel.
void multiply_split_row(const PackedProduct& product, std::int64_t row, std::int64_t column) {
  constexpr int vectors = panel_columns / Int8Dot::lanes;
  const auto* magnitudes = product.split.magnitudes + row * product.depth;
  const auto* masks = product.split.masks + row * product.depth;
  const auto* b = product.b + column * product.depth;
  Int8Dot::Sum sums[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) sums[v] = Int8Dot::broadcast(product.split.negatives[row]);
  for (std::int64_t p = 0; p < product.depth; ++p) {
    const auto magnitude = Int8Dot::broadcast(magnitudes[p]), mask = Int8Dot::broadcast(masks[p]);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const auto word = Int8Dot::load(b + p * panel_columns + v * Int8Dot::lanes);
      Int8Dot::add(sums[v], magnitude, _mm256_xor_si256(word, mask));
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v)
    Results<Int8Dot>(product, column + v * Int8Dot::lanes).write(row, sums[v]);
}

void multiply_split_rows(const PackedProduct& product, std::int64_t first, std::int64_t last) {
  if (product.sparse.words != nullptr) return multiply_sparse_rows<Int8Dot>(product, first, last);
  for (std::int64_t column = first * panel_columns;
       column < last * panel_columns && column < product.columns; column += panel_columns)
    for (std::int64_t row = 0; row < product.rows; ++row) multiply_split_row(product, row, column);
}

void store(std::int32_t* to, __m256i words) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words);
}

/// The sum of the lanes.
std::int32_t sum(__m256i words) {
  std::int32_t of_lanes[Avx2::lanes], total = 0;
  store(of_lanes, words);
  for (const auto lane : of_lanes) total += lane;
  return total;
}

/// The bits that are set in some lane.
std::int32_t union_of(__m256i words) {
  std::int32_t of_lanes[Avx2::lanes], bits = 0;
  store(of_lanes, words);
  for (const auto lane : of_lanes) bits |= lane;
  return bits;
}

/// For each set of words that are to be kept of eight, as bits: their places, in order.
struct KeptPlaces {
  std::uint8_t of[256][8];

  constexpr KeptPlaces() : of{} {
    for (unsigned kept = 0; kept < 256; ++kept)
      for (unsigned place = 0, next = 0; place < 8; ++place)
        if ((kept >> place & 1U) != 0) of[kept][next++] = static_cast<std::uint8_t>(place);
  }
};

constexpr KeptPlaces kept_places;

ListedWords list_eight_at_once(const std::int32_t* words, std::int64_t depth, std::int32_t zero,
                               std::int32_t* kept, std::int32_t* places) {
  ListedWords listed;
  const auto zeros = _mm256_set1_epi32(zero);
  auto bits = _mm256_setzero_si256();
  std::int64_t p = 0;
  for (; p + Avx2::lanes <= depth; p += Avx2::lanes) {
    const auto all = _mm256_xor_si256(Avx2::load(words + p), zeros);
    bits = _mm256_or_si256(bits, all);
    const auto none = _mm256_cmpeq_epi32(all, _mm256_setzero_si256());
    const auto chosen =
        ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(none))) & 255U;
    const auto from = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kept_places.of[chosen])));
    // What is written behind the chosen ones is overwritten or ignored.
    store(kept + listed.count, _mm256_permutevar8x32_epi32(all, from));
    store(places + listed.count, _mm256_add_epi32(from, _mm256_set1_epi32(static_cast<int>(p))));
    listed.count += __builtin_popcount(chosen);
  }
  const auto rest =
      plain_list_words()(words + p, depth - p, zero, kept + listed.count, places + listed.count);
  for (std::int32_t i = 0; i < rest.count; ++i)
    places[listed.count + i] += static_cast<std::int32_t>(p);
  return {listed.count + rest.count, union_of(bits) | rest.bits};
}

}  // namespace

PackedKernel avx2_kernel(WeightType type) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  switch (type) {
    case WeightType::float32: return multiply_panels<Float32Dot>;
    case WeightType::bf16: return multiply_panels<Bf16Dot>;
    case WeightType::int8: return multiply_split_rows;
  }
  return nullptr;
}

std::int32_t avx2_split_row(const std::int32_t* bytes, std::int64_t depth, std::int32_t* magnitudes,
                            std::int32_t* masks) {
  const auto zero = _mm256_setzero_si256();
  auto sums = zero;
  for (std::int64_t p = 0; p < depth; p += Avx2::lanes) {
    const auto left = depth - p;
    const auto inside = Avx2::mask(left);
    const auto read =
        left >= Avx2::lanes ? Avx2::load(bytes + p) : _mm256_maskload_epi32(bytes + p, inside);
    const auto values = _mm256_and_si256(_mm256_xor_si256(read, _mm256_set1_epi8(-128)), inside);
    const auto magnitude = _mm256_abs_epi8(values);
    const auto mask = _mm256_cmpgt_epi8(zero, values);
    sums = _mm256_add_epi32(sums, _mm256_sad_epu8(_mm256_and_si256(magnitude, mask), zero));
    if (left >= Avx2::lanes) {
      store(magnitudes + p, magnitude);
      store(masks + p, mask);
    } else {
      _mm256_maskstore_epi32(magnitudes + p, inside, magnitude);
      _mm256_maskstore_epi32(masks + p, inside, mask);
    }
  }
  return sum(sums);
}

ListWords avx2_list_words() {
  return __builtin_cpu_supports("avx2") ? list_eight_at_once : nullptr;
}

}  // namespace dragoman

#else

dragoman::PackedKernel dragoman::avx2_kernel(WeightType) { return nullptr; }

std::int32_t dragoman::avx2_split_row(const std::int32_t*, std::int64_t, std::int32_t*,
                                      std::int32_t*) {
  return 0;
}

dragoman::ListWords dragoman::avx2_list_words() { return nullptr; }

#endif
