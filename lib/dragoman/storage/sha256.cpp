#include "dragoman/storage/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace dragoman {

namespace {

using State = std::array<std::uint32_t, 8>;
constexpr std::size_t block_size = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

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

void compress(State& state, const unsigned char* block) {
  std::uint32_t w[16];
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; t += 8) {
    const auto input = [&w, t](std::size_t i) {
      return round_constants[t + i] + (t + i < 16 ? w[t + i] : next_word(w, t + i));
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
  const State after = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += after[i];
}

}  // namespace

// The first 32 bits of the fractional parts of the square roots of the first eight primes.
Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::update(std::string_view bytes) {
  const std::size_t held = length_ % block_size;
  length_ += bytes.size();
  if (held > 0) {
    const auto taken = std::min(bytes.size(), block_size - held);
    std::memcpy(block_.data() + held, bytes.data(), taken);
    bytes.remove_prefix(taken);
    if (held + taken < block_size) return;
    compress(state_, block_.data());
  }
  for (; bytes.size() >= block_size; bytes.remove_prefix(block_size))
    compress(state_, reinterpret_cast<const unsigned char*>(bytes.data()));
  if (!bytes.empty()) std::memcpy(block_.data(), bytes.data(), bytes.size());
}

std::string Sha256::hex_digest() {
  const std::uint64_t bits = length_ * 8;
  std::string end(1, '\x80');
  end.resize(1 + (block_size + 55 - length_ % block_size) % block_size, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xFF);
  update(end);

  std::string digits;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 0xF];
  return digits;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

}  // namespace dragoman
