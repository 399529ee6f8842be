#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

// Written with the compiler's vector types so that one source serves every instruction set.
// Everything here must be inlined into a function that is compiled for a processor (core/simd.h).
#define DRAGOMAN_INLINE [[gnu::always_inline]] inline

namespace dragoman::small {

/// Numbers that loops process at a time on every processor: rows are padded to a multiple of it.
constexpr std::int64_t lanes = 16;

/// The next multiple of `lanes`.
constexpr std::int64_t padded(std::int64_t n) { return (n + lanes - 1) / lanes * lanes; }

/// `lanes` float32 in as many of the processor's vectors as that takes: compilers keep vectors that
/// are wider than the processor's in memory. \tparam width float32 in one of the processor's
/// vectors
template <int width>
struct Vector {
  typedef float Part __attribute__((vector_size(width * sizeof(float))));
  typedef std::int32_t Integers __attribute__((vector_size(width * sizeof(float))));
  static constexpr int parts = static_cast<int>(lanes) / width;

  Part part[parts];

  // Part by part. The other operand is a vector or one number for all lanes.

  DRAGOMAN_INLINE static const Part& of(const Vector& v, int i) { return v.part[i]; }
  DRAGOMAN_INLINE static float of(float number, int) { return number; }

  template <typename Other>
  DRAGOMAN_INLINE Vector& operator+=(const Other& other) {
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) part[i] += of(other, i);
    return *this;
  }
  template <typename Other>
  DRAGOMAN_INLINE Vector& operator-=(const Other& other) {
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) part[i] -= of(other, i);
    return *this;
  }
  template <typename Other>
  DRAGOMAN_INLINE Vector& operator*=(const Other& other) {
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) part[i] *= of(other, i);
    return *this;
  }
  template <typename Other>
  DRAGOMAN_INLINE friend Vector operator-(Vector a, const Other& b) {
    a -= b;
    return a;
  }
  template <typename Other>
  DRAGOMAN_INLINE friend Vector operator*(Vector a, const Other& b) {
    a *= b;
    return a;
  }
};

template <int width>
DRAGOMAN_INLINE void load(Vector<width>& v, const float* from) {
#pragma GCC unroll 4
  for (int i = 0; i < Vector<width>::parts; ++i)
    std::memcpy(&v.part[i], from + i * width, sizeof v.part[i]);
}

template <int width>
DRAGOMAN_INLINE void store(float* to, const Vector<width>& v) {
#pragma GCC unroll 4
  for (int i = 0; i < Vector<width>::parts; ++i)
    std::memcpy(to + i * width, &v.part[i], sizeof v.part[i]);
}

/// Each lane combined with the one 8, 4, 2 and 1 further on.
/// \param combine of two numbers, or of two vectors
template <int width, typename Combine>
DRAGOMAN_INLINE float reduced(const Vector<width>& v, Combine combine) {
  if constexpr (width == 16) {
    auto p = v.part[0];
    p = combine(
        p, __builtin_shufflevector(p, p, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    p = combine(
        p, __builtin_shufflevector(p, p, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    p = combine(
        p, __builtin_shufflevector(p, p, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    p = combine(
        p, __builtin_shufflevector(p, p, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    return p[0];
  } else {
    float numbers[lanes];
    store(numbers, v);
    for (std::int64_t half = lanes / 2; half > 0; half /= 2)
      for (std::int64_t i = 0; i < half; ++i) numbers[i] = combine(numbers[i], numbers[i + half]);
    return numbers[0];
  }
}

template <int width>
DRAGOMAN_INLINE float sum(const Vector<width>& v) {
  return reduced(v, [](auto a, auto b) __attribute__((always_inline)) { return a + b; });
}

template <int width>
DRAGOMAN_INLINE float maximum(const Vector<width>& v) {
  return reduced(v, [](auto a, auto b) __attribute__((always_inline)) { return a > b ? a : b; });
}

/// a = the larger of both, lane by lane.
template <int width>
DRAGOMAN_INLINE void raise(Vector<width>& a, const Vector<width>& b) {
#pragma GCC unroll 4
  for (int i = 0; i < Vector<width>::parts; ++i)
    a.part[i] = b.part[i] > a.part[i] ? b.part[i] : a.part[i];
}

/// Lanes l and l + `half` combined: those of `a` where bit `half` of l is 0, those of `b`
/// elsewhere.
template <int half, typename Part, typename Combine, int... l>
DRAGOMAN_INLINE void combine_halves(Part& a, const Part& b, Combine combine,
                                    std::integer_sequence<int, l...>) {
  constexpr int width = sizeof...(l);
  a = combine(__builtin_shufflevector(a, b, ((l & half) != 0 ? width + l - half : l)...),
              __builtin_shufflevector(a, b, ((l & half) != 0 ? width + l : l + half)...));
}

/// Lane l of v[0] becomes v[l]'s lanes combined. \param v vectors of 2 `half` numbers, as many as
/// those
template <int half, int width, typename Part, typename Combine>
DRAGOMAN_INLINE void reduce_parts(Part* v, Combine combine) {
  if constexpr (half > 0) {
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i)
      combine_halves<half>(v[i], v[i + half], combine, std::make_integer_sequence<int, width>());
    reduce_parts<half / 2, width>(v, combine);
  }
}

/// The lanes of each of `lanes` vectors combined, in order: halves until one vector is left.
/// \param combine of two vectors
template <int width, typename Combine>
DRAGOMAN_INLINE Vector<width> reduce_each(const Vector<width> (&v)[lanes], Combine combine) {
  Vector<width> result;
#pragma GCC unroll 4
  for (int i = 0; i < Vector<width>::parts; ++i) {
    typename Vector<width>::Part whole[width];
#pragma GCC unroll 16
    for (int j = 0; j < width; ++j) {
      const auto& part = v[i * width + j].part;
      if constexpr (width == 16) whole[j] = part[0];
      if constexpr (width == 8) whole[j] = combine(part[0], part[1]);
      if constexpr (width == 4)
        whole[j] = combine(combine(part[0], part[2]), combine(part[1], part[3]));
    }
    reduce_parts<width / 2, width>(whole, combine);
    result.part[i] = whole[0];
  }
  return result;
}

/// The sum of each vector, in order.
template <int width>
DRAGOMAN_INLINE Vector<width> sum_each(const Vector<width> (&v)[lanes]) {
  return reduce_each(v, [](auto a, auto b) __attribute__((always_inline)) { return a + b; });
}

/// The largest number of each vector, in order.
template <int width>
DRAGOMAN_INLINE Vector<width> maximum_each(const Vector<width> (&v)[lanes]) {
  return reduce_each(v,
                     [](auto a, auto b) __attribute__((always_inline)) { return a > b ? a : b; });
}

/// exp(x) for x <= 0, relative error below 3e-7; exactly 0 below -87.
template <int width>
DRAGOMAN_INLINE void exponential(Vector<width>& v) {
  using Part = typename Vector<width>::Part;
  using Integers = typename Vector<width>::Integers;
#pragma GCC unroll 4
  for (auto& x : v.part) {
    const Part bounded = x < -87.0F ? Part{} - 87.0F : x;
    const Integers n = __builtin_convertvector(bounded * 1.44269504F - 0.5F, Integers);
    const Part whole = __builtin_convertvector(n, Part);
    const Part r = (bounded - whole * 0.693359375F) + whole * 2.12194440e-4F;  // ln 2, in two parts
    Part p = r * (1.0F / 720.0F) + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    const Integers exponent = (n + 127) << 23;
    Part power;
    std::memcpy(&power, &exponent, sizeof power);
    x = x < -87.0F ? Part{} : p * power;
  }
}

}  // namespace dragoman::small
