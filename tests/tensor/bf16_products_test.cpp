#include "dragoman/tensor/bf16_products.h"

#include "support/close.h"

#include <torch/types.h>

#include <cmath>

namespace dragoman::bf16_products_test {

namespace {

constexpr std::int64_t inner = 24, columns = 17;

at::Tensor random_bf16(c10::IntArrayRef sizes) { return torch::randn(sizes).to(torch::kBFloat16); }

}  // namespace

TEST_CASE("products of bf16 in pieces are those of all rows", "[unit]") {
  torch::manual_seed(3);
  const auto matrix = random_bf16({columns, inner}).t(), bias = random_bf16({columns});
  for (const std::int64_t rows : {0, 1, 31, 32, 255, 256, 300, 4096, 4097, 9000}) {
    CAPTURE(rows);
    const auto x = random_bf16({rows, inner});
    const auto exact = at::mm(x.to(torch::kFloat64), matrix.to(torch::kFloat64));
    for (const auto type : {torch::kBFloat16, torch::kFloat32}) {
      const auto with_bias = torch::full({rows, columns}, 7.0, type),
                 without = torch::full({rows, columns}, 7.0, type);
      multiply_bf16_rows(x, matrix, bias, with_bias);
      multiply_bf16_rows(x, matrix, {}, without);
      CHECK_THAT(with_bias.to(torch::kFloat64),
                 test::close_to(exact + bias.to(torch::kFloat64), {0.02, 0.02}));
      CHECK_THAT(without.to(torch::kFloat64), test::close_to(exact, {0.02, 0.02}));
    }
  }
}

TEST_CASE("outer products of bf16 in pieces are added", "[unit]") {
  torch::manual_seed(3);
  for (const std::int64_t rows : {0, 1, 256, 300, 4097}) {
    CAPTURE(rows);
    const auto a = random_bf16({rows, inner}), b = random_bf16({rows, columns});
    const auto sums = torch::full({inner, columns}, 2.0F);
    add_bf16_outer_products(a, b, sums);
    const auto exact = 2.0 + at::mm(a.t().to(torch::kFloat64), b.to(torch::kFloat64));
    CHECK_THAT(sums.to(torch::kFloat64),
               test::close_to(exact, {0.01, 0.02 + 0.006 * std::sqrt(rows)}));
  }
}

}  // namespace dragoman::bf16_products_test
