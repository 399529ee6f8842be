#include "dragoman/storage/sha256_blocks.h"

#include <bit>

namespace dragoman {

namespace {

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// One round. Registers are renamed by the caller, not moved: `d` and `h` are the two that change.
inline void round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d,
                  std::uint32_t e, std::uint32_t f, std::uint32_t g, std::uint32_t& h,
                  std::uint32_t input) {
  const std::uint32_t mixed_e = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
  const std::uint32_t mixed_a = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
  const std::uint32_t added = h + mixed_e + (g ^ (e & (f ^ g))) + input;
  d += added;
  h = added + mixed_a + ((a & b) | (c & (a | b)));
}

// Words 16 behind the last ones of the message schedule, in place in a ring of 16.
inline std::uint32_t next_word(std::uint32_t (&w)[16], std::size_t t) {
  const std::uint32_t early = w[(t + 1) & 15];
  const std::uint32_t late = w[(t + 14) & 15];
  w[t & 15] += (std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3)) + w[(t + 9) & 15] +
               (std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10));
  return w[t & 15];
}

void take_block(Sha256State& state, const unsigned char* block) {
  std::uint32_t w[16];
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; t += 8) {
    const auto input = [&w, t](std::size_t i) {
      return sha256_constants[t + i] + (t + i < 16 ? w[t + i] : next_word(w, t + i));
    };
    round(a, b, c, d, e, f, g, h, input(0));
    round(h, a, b, c, d, e, f, g, input(1));
    round(g, h, a, b, c, d, e, f, input(2));
    round(f, g, h, a, b, c, d, e, input(3));
    round(e, f, g, h, a, b, c, d, input(4));
    round(d, e, f, g, h, a, b, c, input(5));
    round(c, d, e, f, g, h, a, b, input(6));
    round(b, c, d, e, f, g, h, a, input(7));
  }
  const Sha256State after = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += after[i];
}

}  // namespace

void sha256_blocks(Sha256State& state, const unsigned char* blocks, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) take_block(state, blocks + i * sha256_block_size);
}

}  // namespace dragoman
