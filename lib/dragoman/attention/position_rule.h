#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>

// Rules about positions are written once, for one pair of numbers and for tensors of them: as
// generic functions of comparisons, differences, `&`, `|`, and these.
namespace dragoman {

/// |i - j|
inline std::int64_t distance_of(std::int64_t i, std::int64_t j) { return i < j ? j - i : i - j; }
inline at::Tensor distance_of(const at::Tensor& i, const at::Tensor& j) { return (i - j).abs(); }

/// The remainder of `i` divided by n > 0; 0 if n divides it. Other signs may differ for i < 0.
inline std::int64_t remainder_of(std::int64_t i, std::int64_t n) { return i % n; }
inline at::Tensor remainder_of(const at::Tensor& i, std::int64_t n) { return i.remainder(n); }

/// The number of the block of n > 0 positions that i >= 0 is in.
inline std::int64_t block_of(std::int64_t i, std::int64_t n) { return i / n; }
inline at::Tensor block_of(const at::Tensor& i, std::int64_t n) { return i.floor_divide(n); }

inline bool not_so(bool x) { return !x; }
inline at::Tensor not_so(const at::Tensor& x) { return x.logical_not(); }

/// Whether queries at some positions may attend to keys at others; positions count from 0.
struct PositionRule {
  /// Of one query and one key: on a CPU the fastest way to fill a mask.
  std::function<bool(std::int64_t query, std::int64_t key)> of_pair;
  /// Of tensors [...] int64 that broadcast, as bool: fills a mask on any device.
  std::function<at::Tensor(const at::Tensor& query, const at::Tensor& key)> of_tensors;

  bool operator()(std::int64_t query, std::int64_t key) const { return of_pair(query, key); }
  at::Tensor operator()(const at::Tensor& query, const at::Tensor& key) const {
    return of_tensors(query, key);
  }
};

/// \param rule a generic function of a query's and a key's position
template <typename Rule>
PositionRule position_rule(Rule rule) {
  return {[rule](std::int64_t query, std::int64_t key) -> bool { return rule(query, key); },
          [rule](const at::Tensor& query, const at::Tensor& key) -> at::Tensor {
            return rule(query, key);
          }};
}

}  // namespace dragoman
