#pragma once

#include "support/catch.h"

#include <ATen/ATen.h>

#include <sstream>
#include <string>

namespace test {

/// |actual - expected| <= absolute + relative * |expected|
struct Tolerance {
  double relative = 1e-9;
  double absolute = 1e-11;
};

/// The tolerances of the golden values for a type.
inline Tolerance tolerance_of(at::ScalarType type) {
  return type == at::kDouble ? Tolerance{1e-9, 1e-11} : Tolerance{1e-4, 1e-5};
}

#if __has_include(<catch2/catch_all.hpp>)
using TensorMatcher = Catch::Matchers::MatcherBase<at::Tensor>;
#else
using TensorMatcher = Catch::MatcherBase<at::Tensor>;
#endif

/// Matches a tensor of the same shape with values within a tolerance. NaN matches nothing.
class CloseTo : public TensorMatcher {
 public:
  CloseTo(const at::Tensor& expected, const Tolerance& tolerance)
      : expected_(expected.detach().to(at::kDouble)), tolerance_(tolerance) {}

  bool match(const at::Tensor& actual) const override {
    return actual.defined() && actual.sizes() == expected_.sizes() &&
           at::allclose(actual.detach().to(at::kDouble), expected_, tolerance_.relative,
                        tolerance_.absolute);
  }

  std::string describe() const override {
    std::ostringstream text;
    text << "is close (" << tolerance_.relative << ", " << tolerance_.absolute << ") to\n"
         << expected_;
    return text.str();
  }

 private:
  at::Tensor expected_;
  Tolerance tolerance_;
};

/// CHECK_THAT(actual, close_to(expected)): within the tolerance of the golden values, which is that
/// of `expected`'s type unless one is given.
inline CloseTo close_to(const at::Tensor& expected, const Tolerance& tolerance) {
  return {expected, tolerance};
}
inline CloseTo close_to(const at::Tensor& expected) {
  return {expected, tolerance_of(expected.scalar_type())};
}

/// The same shape, type and bits.
inline bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const auto x = a.detach().cpu().contiguous(), y = b.detach().cpu().contiguous();
  return x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

}  // namespace test
