#include "dragoman/storage/sha256.h"

#include "dragoman/storage/sha256_blocks.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace dragoman {

namespace {

constexpr std::size_t block_size = sha256_block_size;

void take_blocks(Sha256State& state, const unsigned char* blocks, std::size_t count) {
  static const auto fast = sha256_instructions();
  (fast != nullptr ? fast : sha256_blocks)(state, blocks, count);
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
    take_blocks(state_, block_.data(), 1);
  }
  const auto whole = bytes.size() / block_size;
  take_blocks(state_, reinterpret_cast<const unsigned char*>(bytes.data()), whole);
  bytes.remove_prefix(whole * block_size);
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

std::string sha256_hex(const Descriptor& file) {
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (const auto count = file.read(buffer)) hash.update({buffer.data(), count});
  return hash.hex_digest();
}

}  // namespace dragoman
