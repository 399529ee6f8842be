#include "dragoman/kernels/fused_attention.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/small_products.h"
#include "dragoman/kernels/small_softmax.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace dragoman {

namespace {

using small::lanes;
using small::padded;

/// Scores of `few_queries` at most.
template <typename Vector>
DRAGOMAN_INLINE void few_scores(const small::Rows& query, const small::Rows& key, float* scores,
                                std::int64_t rows, std::int64_t keys, std::int64_t depth) {
  const auto width = padded(keys);
  for (std::int64_t first = 0; first < keys; first += lanes)
    for (std::int64_t i = 0; i < rows; ++i) {
      Vector products[lanes] = {};
      for (std::int64_t j = 0; j < lanes && first + j < keys; ++j)
        small::add_products(products[j], query.data + i * query.row,
                            key.data + (first + j) * key.row, depth);
      small::store(scores + i * width + first, small::sum_each(products));
    }
}

DRAGOMAN_INLINE void multiply_row(float* row, const float* factors, std::int64_t keys) {
  for (std::int64_t j = 0; j < keys; ++j) row[j] *= factors[j];
}

/// Whether rows of a head are read and written in place: the vectors of `small` fill them.
template <typename Number>
constexpr bool is_in_place(std::int64_t width) {
  return std::is_same_v<Number, float> && width % lanes == 0;
}

template <typename Number>
std::vector<float> buffer_for(std::int64_t rows, std::int64_t width) {
  return std::vector<float>(
      is_in_place<Number>(width) ? 0 : static_cast<std::size_t>(rows * padded(width)));
}

/// One head's rows as float32, padded with zeros: in place, or in a buffer.
template <typename Number>
class ReadHead {
 public:
  ReadHead(std::int64_t rows, std::int64_t width)
      : rows_(rows), width_(width), buffer_(buffer_for<Number>(rows, width)) {}

  DRAGOMAN_INLINE small::Rows operator()(const HeadsView<const Number>& view, std::int64_t b,
                                         std::int64_t h) {
    const Number* from = view.at(b, h);
    if constexpr (std::is_same_v<Number, float>)
      if (is_in_place<Number>(width_)) return {from, view.row};
    const auto row = padded(width_);
    float* to = buffer_.data();
    for (std::int64_t i = 0; i < rows_; ++i, from += view.row, to += row)
      for (std::int64_t j = 0; j < width_; ++j) to[j] = widened(from[j]);
    return {buffer_.data(), row};
  }

 private:
  std::int64_t rows_, width_;
  std::vector<float> buffer_;
};

/// Where one head's result is computed in float32: in place, or in a buffer that `write` empties.
template <typename Number>
class WriteHead {
 public:
  WriteHead(std::int64_t rows, std::int64_t width)
      : rows_(rows), width_(width), buffer_(buffer_for<Number>(rows, width)) {}

  DRAGOMAN_INLINE small::MutableRows rows(const HeadsView<Number>& view, std::int64_t b,
                                          std::int64_t h) {
    if constexpr (std::is_same_v<Number, float>)
      if (is_in_place<Number>(width_)) return {view.at(b, h), view.row};
    return {buffer_.data(), padded(width_)};
  }

  DRAGOMAN_INLINE void write(const HeadsView<Number>& view, std::int64_t b, std::int64_t h) {
    if (is_in_place<Number>(width_)) return;
    Number* to = view.at(b, h);
    const float* from = buffer_.data();
    for (std::int64_t i = 0; i < rows_; ++i, from += padded(width_), to += view.row)
      for (std::int64_t j = 0; j < width_; ++j) narrow(from[j], to[j]);
  }

 private:
  std::int64_t rows_, width_;
  std::vector<float> buffer_;
};

template <typename Vector, typename Number>
DRAGOMAN_INLINE void forward_heads(const FusedAttention<Number>& input,
                                   const HeadsView<Number>& context,
                                   const HeadsView<float>& weights, std::int64_t first,
                                   std::int64_t last) {
  const auto queries = input.query_len, keys = input.key_len, width = padded(keys);
  ReadHead<Number> read_query(queries, input.d_k), read_key(keys, input.d_k),
      read_value(keys, input.d_v);
  WriteHead<Number> result(queries, input.d_v);
  std::vector<float> transposed(static_cast<std::size_t>(input.d_k * width));
  std::vector<float> scores(static_cast<std::size_t>(queries * width));
  for (std::int64_t n = first; n < last; ++n) {
    const auto b = n / input.num_heads, h = n % input.num_heads;
    const auto query = read_query(input.query, b, h), key = read_key(input.key, b, h);
    if (queries <= few_queries) {
      few_scores<Vector>(query, key, scores.data(), queries, keys, padded(input.d_k));
    } else {
      small::transpose(key, transposed.data(), keys, input.d_k);
      small::multiply<Vector>({query.data, query.row, 1}, {transposed.data(), width},
                              {scores.data(), width}, queries, width, input.d_k);
    }
    for (std::int64_t i = 0; i < queries; ++i) {
      float* row = scores.data() + i * width;
      small::softmax<Vector>(
          row, keys, input.scale,
          input.bias.data != nullptr ? input.bias.at(b, h) + i * input.bias.row : nullptr);
      if (input.seeing.data != nullptr) {
        const float factor = input.seeing.at(b, h)[i * input.seeing.row];
        for (std::int64_t j = 0; j < keys; ++j) row[j] *= factor;
      }
      if (weights.data != nullptr) std::copy_n(row, keys, weights.at(b, h) + i * weights.row);
      if (input.dropout.data != nullptr)
        multiply_row(row, input.dropout.at(b, h) + i * input.dropout.row, keys);
    }
    small::multiply<Vector>({scores.data(), width, 1}, read_value(input.value, b, h),
                            result.rows(context, b, h), queries, padded(input.d_v), keys);
    result.write(context, b, h);
  }
}

template <typename Vector, typename Number>
DRAGOMAN_INLINE void backward_heads(const FusedAttention<Number>& input,
                                    const HeadsView<const float>& weights,
                                    const HeadsView<const Number>& context_gradient,
                                    const FusedGradients<Number>& gradients, std::int64_t first,
                                    std::int64_t last) {
  const auto queries = input.query_len, keys = input.key_len, width = padded(keys);
  ReadHead<Number> read_query(queries, input.d_k), read_key(keys, input.d_k),
      read_value(keys, input.d_v), read_gradient(queries, input.d_v);
  WriteHead<Number> of_query(queries, input.d_k), of_key(keys, input.d_k),
      of_value(keys, input.d_v);
  const auto cells = static_cast<std::size_t>(queries * width);
  std::vector<float> transposed(static_cast<std::size_t>(input.d_v * width));
  std::vector<float> used(cells), grad_scores(cells);
  for (std::int64_t n = first; n < last; ++n) {
    const auto b = n / input.num_heads, h = n % input.num_heads;
    const auto gradient = read_gradient(context_gradient, b, h);
    const small::Rows weight{weights.at(b, h), weights.row};
    small::transpose(read_value(input.value, b, h), transposed.data(), keys, input.d_v);
    small::multiply<Vector>({gradient.data, gradient.row, 1}, {transposed.data(), width},
                            {grad_scores.data(), width}, queries, width, input.d_v);
    for (std::int64_t i = 0; i < queries; ++i) {
      const float* p = weight.data + i * weight.row;
      float* used_row = used.data() + i * width;
      float* grad_row = grad_scores.data() + i * width;
      std::copy_n(p, keys, used_row);
      if (input.dropout.data != nullptr)
        multiply_row(used_row, input.dropout.at(b, h) + i * input.dropout.row, keys);
      // The gradient of softmax: p (g - d) with d = sum of p g. The factors of dropout in g are
      // here in `used_row`.
      Vector products = {};
      small::add_products(products, used_row, grad_row, width);
      const float d = small::sum(products);
      if (input.dropout.data != nullptr)
        multiply_row(grad_row, input.dropout.at(b, h) + i * input.dropout.row, keys);
      for (std::int64_t j = 0; j < keys; ++j) grad_row[j] = p[j] * (grad_row[j] - d) * input.scale;
    }
    small::multiply<Vector>({used.data(), 1, width}, gradient, of_value.rows(gradients.value, b, h),
                            keys, padded(input.d_v), queries);
    small::multiply<Vector>({grad_scores.data(), width, 1}, read_key(input.key, b, h),
                            of_query.rows(gradients.query, b, h), queries, padded(input.d_k), keys);
    small::multiply<Vector>({grad_scores.data(), 1, width}, read_query(input.query, b, h),
                            of_key.rows(gradients.key, b, h), keys, padded(input.d_k), queries);
    of_value.write(gradients.value, b, h);
    of_query.write(gradients.query, b, h);
    of_key.write(gradients.key, b, h);
  }
}

}  // namespace

void fused_attention_forward(const FusedAttention<float>& input, const HeadsView<float>& context,
                             const HeadsView<float>& weights, std::int64_t first,
                             std::int64_t last) {
  run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
    forward_heads<small::Vector<width>>(input, context, weights, first, last);
  });
}

void fused_attention_forward(const FusedAttention<Bf16>& input, const HeadsView<Bf16>& context,
                             const HeadsView<float>& weights, std::int64_t first,
                             std::int64_t last) {
  run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
    forward_heads<small::Vector<width>>(input, context, weights, first, last);
  });
}

void fused_attention_backward(const FusedAttention<float>& input,
                              const HeadsView<const float>& weights,
                              const HeadsView<const float>& context_gradient,
                              const FusedGradients<float>& gradients, std::int64_t first,
                              std::int64_t last) {
  run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
    backward_heads<small::Vector<width>>(input, weights, context_gradient, gradients, first, last);
  });
}

void fused_attention_backward(const FusedAttention<Bf16>& input,
                              const HeadsView<const float>& weights,
                              const HeadsView<const Bf16>& context_gradient,
                              const FusedGradients<Bf16>& gradients, std::int64_t first,
                              std::int64_t last) {
  run_on_this_cpu([&](auto width) __attribute__((always_inline)) {
    backward_heads<small::Vector<width>>(input, weights, context_gradient, gradients, first, last);
  });
}

}  // namespace dragoman
