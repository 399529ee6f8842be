#include "dragoman/metrics/numpy_generator.h"

#include <array>
#include <bit>

namespace dragoman {

namespace {

/// NumPy's SeedSequence: expands a seed to the number of bits that a generator needs.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 2> entropy = {static_cast<std::uint32_t>(seed),
                                                  static_cast<std::uint32_t>(seed >> 32)};
    for (std::size_t i = 0; i < pool_.size(); ++i)
      pool_[i] = hash(i < entropy.size() ? entropy[i] : 0);
    for (std::size_t source = 0; source < pool_.size(); ++source) {
      for (std::size_t target = 0; target < pool_.size(); ++target) {
        if (source != target) pool_[target] = mix(pool_[target], hash(pool_[source]));
      }
    }
  }

  std::array<std::uint64_t, 4> words() const {
    std::array<std::uint64_t, 4> out{};
    std::uint32_t multiplier = 0x8b51f9dd;
    for (std::size_t i = 0; i < 2 * out.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ multiplier;
      multiplier *= 0x58f38ded;
      value *= multiplier;
      out[i / 2] |= static_cast<std::uint64_t>(value ^ (value >> 16)) << (i % 2 * 32);
    }
    return out;
  }

 private:
  std::uint32_t hash(std::uint32_t value) {
    value ^= multiplier_;
    multiplier_ *= 0x931e8875;
    value *= multiplier_;
    return value ^ (value >> 16);
  }

  static std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t value = 0xca01f9ddU * x - 0x4973f715U * y;
    return value ^ (value >> 16);
  }

  std::uint32_t multiplier_ = 0x43b0d7e5;
  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace

NumpyGenerator::NumpyGenerator(std::uint64_t seed) {
  const auto words = SeedSequence(seed).words();
  const auto wide = [](std::uint64_t high, std::uint64_t low) {
    return (static_cast<Wide>(high) << 64) | low;
  };
  increment_ = (wide(words[2], words[3]) << 1) | 1;
  step();
  state_ += wide(words[0], words[1]);
  step();
}

void NumpyGenerator::step() {
  constexpr Wide multiplier =
      (static_cast<Wide>(0x2360ED051FC65DA4ULL) << 64) | 0x4385DF649FCCF645ULL;
  state_ = state_ * multiplier + increment_;
}

std::uint64_t NumpyGenerator::next64() {
  step();
  const auto high = static_cast<std::uint64_t>(state_ >> 64);
  const auto low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

std::uint32_t NumpyGenerator::next32() {
  if (kept_) {
    const auto value = *kept_;
    kept_.reset();
    return value;
  }
  const auto both = next64();
  kept_ = static_cast<std::uint32_t>(both >> 32);
  return static_cast<std::uint32_t>(both);
}

std::uint32_t NumpyGenerator::index_below(std::uint32_t count) {
  if (count <= 1) return 0;
  const auto draw = [&] { return static_cast<std::uint64_t>(next32()) * count; };
  std::uint64_t product = draw();
  if (static_cast<std::uint32_t>(product) < count) {
    const std::uint32_t threshold = (0U - count) % count;
    while (static_cast<std::uint32_t>(product) < threshold) product = draw();
  }
  return static_cast<std::uint32_t>(product >> 32);
}

bool NumpyBits::next() {
  if (left_ == 0) {
    word_ = generator_.next32();
    left_ = 32;
  }
  const bool bit = (word_ & 1) != 0;
  word_ >>= 1;
  --left_;
  return bit;
}

}  // namespace dragoman
