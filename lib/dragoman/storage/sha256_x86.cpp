#include "dragoman/storage/sha256_blocks.h"

#if defined(__SHA__) && defined(__SSE4_1__)

#include <cpuid.h>
#include <immintrin.h>

namespace dragoman {

namespace {

/// The state as the instructions want it.
struct Halves {
  __m128i abef, cdgh;
};

Halves halves_of(const Sha256State& s) {
  const auto word = [&s](std::size_t i) { return static_cast<int>(s[i]); };
  return {_mm_set_epi32(word(0), word(1), word(4), word(5)),
          _mm_set_epi32(word(2), word(3), word(6), word(7))};
}

Sha256State state_of(const Halves& halves) {
  const auto word = [](int value) { return static_cast<std::uint32_t>(value); };
  return {word(_mm_extract_epi32(halves.abef, 3)), word(_mm_extract_epi32(halves.abef, 2)),
          word(_mm_extract_epi32(halves.cdgh, 3)), word(_mm_extract_epi32(halves.cdgh, 2)),
          word(_mm_extract_epi32(halves.abef, 1)), word(_mm_extract_epi32(halves.abef, 0)),
          word(_mm_extract_epi32(halves.cdgh, 1)), word(_mm_extract_epi32(halves.cdgh, 0))};
}

/// Four rounds; two at a time, which exchange the halves' names.
void four_rounds(Halves& halves, __m128i words, std::size_t t) {
  const auto* constants = reinterpret_cast<const __m128i*>(sha256_constants + t);
  const auto inputs = _mm_add_epi32(words, _mm_loadu_si128(constants));
  halves.cdgh = _mm_sha256rnds2_epu32(halves.cdgh, halves.abef, inputs);
  halves.abef = _mm_sha256rnds2_epu32(halves.abef, halves.cdgh, _mm_shuffle_epi32(inputs, 0x0E));
}

/// Words t .. t + 3 of the message schedule from the sixteen before.
__m128i next_words(const __m128i (&w)[4], std::size_t group) {
  const auto& oldest = w[group % 4];
  const auto& newest = w[(group + 3) % 4];
  const auto middle = _mm_alignr_epi8(newest, w[(group + 2) % 4], 4);
  const auto early = _mm_sha256msg1_epu32(oldest, w[(group + 1) % 4]);
  return _mm_sha256msg2_epu32(_mm_add_epi32(early, middle), newest);
}

void take_blocks_by_instructions(Sha256State& state, const unsigned char* blocks,
                                 std::size_t count) {
  const auto big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  auto halves = halves_of(state);
  for (; count > 0; --count, blocks += sha256_block_size) {
    const auto before = halves;
    __m128i w[4];
#pragma GCC unroll 16
    for (std::size_t group = 0; group < 16; ++group) {
      const auto* bytes = reinterpret_cast<const __m128i*>(blocks) + group % 4;
      w[group % 4] =
          group < 4 ? _mm_shuffle_epi8(_mm_loadu_si128(bytes), big_endian) : next_words(w, group);
      four_rounds(halves, w[group % 4], 4 * group);
    }
    halves.abef = _mm_add_epi32(halves.abef, before.abef);
    halves.cdgh = _mm_add_epi32(halves.cdgh, before.cdgh);
  }
  state = state_of(halves);
}

}  // namespace

Sha256Blocks sha256_instructions() {
  constexpr unsigned leaf = 7, sha_bit = 29;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool found =
      __get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx >> sha_bit & 1U) != 0;
  return found && __builtin_cpu_supports("sse4.1") ? take_blocks_by_instructions : nullptr;
}

}  // namespace dragoman

#else

dragoman::Sha256Blocks dragoman::sha256_instructions() { return nullptr; }

#endif
