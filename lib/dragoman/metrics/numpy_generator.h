#pragma once

#include <cstdint>
#include <optional>

namespace dragoman {

/// The stream of NumPy's `default_rng(seed)`, PCG64 seeded by SeedSequence, so that resampling
/// draws exactly the samples that sacreBLEU draws.
class NumpyGenerator {
 public:
  explicit NumpyGenerator(std::uint64_t seed);

  /// The next 32 bits; a 64-bit draw yields its low half, then its high half.
  std::uint32_t next32();

  /// A uniformly distributed index below `count`: one element of `rng.choice(count, ...)`.
  /// \param count 1 to 2^32 - 1; 1 draws nothing
  std::uint32_t index_below(std::uint32_t count);

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t next64();
  void step();

  Wide state_ = 0;
  Wide increment_ = 0;
  std::optional<std::uint32_t> kept_;
};

/// The elements of one boolean matrix of `rng.integers(2, size=..., dtype=bool)`, row by row.
class NumpyBits {
 public:
  explicit NumpyBits(NumpyGenerator& generator) : generator_(generator) {}

  bool next();

 private:
  NumpyGenerator& generator_;
  std::uint32_t word_ = 0;
  int left_ = 0;
};

}  // namespace dragoman
