#include "dragoman/core/error.h"
#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/tensor/packed_linear.h"

#include "support/close.h"
#include "support/skip.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace packed_matrix_test {

using dragoman::PackedLinear;
using dragoman::PackedProduct;
using dragoman::WeightType;

namespace {

/// Rows below, at and above a whole tile; columns and depths that do not fill a panel or a word.
template <typename Check>
void for_sizes(const Check& check) {
  torch::manual_seed(3);
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 13})
    for (const std::int64_t columns : {1, 63, 64, 130})
      for (const std::int64_t inputs : {1, 7, 32, 129}) {
        CAPTURE(rows, columns, inputs);
        check(torch::randn({rows, inputs}), torch::randn({columns, inputs}),
              torch::randn({columns}));
      }
}

/// What int8 should compute, in integers: each row times 127 / its largest magnitude.
struct Rounded {
  torch::Tensor numbers, scale;
  explicit Rounded(const torch::Tensor& x) {
    scale = x.abs().amax(1, /*keepdim=*/true) / 127.0;
    numbers = at::floor(x / scale + 0.5);
  }
};

using Loops = void (*)(const PackedProduct&, std::int64_t, std::int64_t);

/// Runs the same words through both loops: int8 must have the same bits.
/// \param relu, add what becomes of the product: see ProductResult
void check_equal_loops(Loops fast, WeightType type, std::int64_t rows, std::int64_t columns,
                       bool relu, bool add) {
  constexpr std::int64_t depth = 9, panels = 3;
  torch::manual_seed(4);
  const auto padded = panels * dragoman::panel_columns;
  // Two bf16 of ordinary magnitude in a word: read as one float32, the word has ordinary magnitude
  // too.
  const auto words = [](std::int64_t count) {
    return torch::randn({2 * count}).to(torch::kBFloat16).view(torch::kInt);
  };
  const auto a = words(rows * depth), b = words(padded * depth);
  const auto start = torch::randint(-9000, 9000, {padded}, torch::kInt);
  const auto bias = torch::randn({padded}), row_scale = torch::rand({rows}),
             column_scale = torch::rand({padded}), residual = torch::randn({rows, columns});
  const auto run = [&](Loops loops) {
    auto c = torch::zeros({rows, columns});
    const PackedProduct product{.rows = rows,
                                .columns = columns,
                                .depth = depth,
                                .a = a.const_data_ptr<std::int32_t>(),
                                .b = b.const_data_ptr<std::int32_t>(),
                                .bias = bias.const_data_ptr<float>(),
                                .row_scale = row_scale.const_data_ptr<float>(),
                                .column_scale = column_scale.const_data_ptr<float>(),
                                .start = start.const_data_ptr<std::int32_t>(),
                                .relu = relu,
                                .residual = add ? residual.const_data_ptr<float>() : nullptr,
                                .c = c.mutable_data_ptr<float>()};
    loops(product, 0, 1);
    loops(product, 1, (columns + dragoman::panel_columns - 1) / dragoman::panel_columns);
    return c;
  };
  const auto expected = run(dragoman::plain_loops(type).kernel);
  if (type == WeightType::int8)
    CHECK(test::same_bits(run(fast), expected));
  else
    CHECK_THAT(run(fast), test::close_to(expected, {1e-5, 1e-6}));
}

}  // namespace

TEST_CASE("a packed float32 matrix gives LibTorch's product", "[unit]") {
  for_sizes([](const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
    CHECK_THAT(PackedLinear(weight, bias, WeightType::float32).multiply(x),
               test::close_to(at::linear(x, weight, bias), {1e-5, 1e-5}));
    CHECK_THAT(PackedLinear(weight, {}, WeightType::float32).multiply(x),
               test::close_to(at::linear(x, weight), {1e-5, 1e-5}));
  });
}

TEST_CASE("a packed bf16 matrix multiplies factors rounded to bf16", "[unit]") {
  for_sizes([](const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
    const auto rounded = [](const torch::Tensor& t) {
      return t.to(torch::kBFloat16).to(torch::kFloat);
    };
    CHECK_THAT(PackedLinear(weight, bias, WeightType::bf16).multiply(x),
               test::close_to(at::linear(rounded(x), rounded(weight), bias), {1e-5, 1e-4}));
  });
}

TEST_CASE("a packed int8 matrix multiplies factors rounded to 255 levels", "[unit]") {
  for_sizes([](const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
    const Rounded a(x), b(weight);
    const auto expected = at::linear(a.numbers, b.numbers) * (a.scale * b.scale.t()) + bias;
    // A number half-way between two levels may be rounded to either.
    const auto level = (a.scale.amax() * weight.abs().amax()).item<double>();
    CHECK_THAT(PackedLinear(weight, bias, WeightType::int8).multiply(x),
               test::close_to(expected, {1e-5, 1e-5 + level}));
  });
}

TEST_CASE("int8 products stay within two per cent of the exact ones", "[unit]") {
  torch::manual_seed(6);
  const auto x = torch::randn({20, 512}), weight = torch::randn({300, 512});
  const auto exact = at::linear(x, weight);
  const auto error = PackedLinear(weight, {}, WeightType::int8).multiply(x) - exact;
  CHECK((error.norm() / exact.norm()).item<double>() < 0.02);
}

TEST_CASE("the loops of every instruction set compute what the plain loops do", "[property]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8}) {
    const auto loops = dragoman::packed_loops(type);
    for (const auto& [instructions, kernel] : loops)
      for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 13})
        for (const std::int64_t columns : {1, 8, 17, 64, 100, 130}) {
          CAPTURE(instructions, rows, columns);
          check_equal_loops(kernel, type, rows, columns, false, false);
          check_equal_loops(kernel, type, rows, columns, true, columns % 2 == 0);
          check_equal_loops(kernel, type, rows, columns, false, true);
        }
    if (loops.size() < 3) test::skip("this processor lacks AVX2, AVX-512 or its bf16 or VNNI");
  }
}

TEST_CASE("relu comes before the residual, and neither hides NaN", "[unit]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> weight{1.0F, -1.0F, nan}, x{2.0F}, residual{10.0F, 10.0F, 10.0F};
  for (const auto& [instructions, kernel] : dragoman::packed_loops(WeightType::float32)) {
    CAPTURE(instructions);
    std::vector<float> b(dragoman::panel_columns), bias(dragoman::panel_columns), c(3);
    std::copy(weight.begin(), weight.end(), b.begin());
    kernel({.rows = 1,
            .columns = 3,
            .depth = 1,
            .a = reinterpret_cast<const std::int32_t*>(x.data()),
            .b = reinterpret_cast<const std::int32_t*>(b.data()),
            .bias = bias.data(),
            .relu = true,
            .residual = residual.data(),
            .c = c.data()},
           0, 1);
    CHECK(c[0] == 12.0F);
    CHECK(c[1] == 10.0F);
    CHECK(std::isnan(c[2]));
  }
}

TEST_CASE("DRAGOMAN_CPU leaves out instruction sets, and other values are refused", "[unit]") {
  const auto names = [](const char* highest) {
    ::setenv("DRAGOMAN_CPU", highest, 1);
    std::vector<std::string> found;
    for (const auto& loops : dragoman::packed_loops(WeightType::int8))
      found.emplace_back(loops.instructions);
    return found;
  };
  CHECK(names("plain") == std::vector<std::string>{"plain loops"});
  for (const auto& name : names("avx2")) CHECK(name.find("512") == std::string::npos);
  CHECK(names("avx512").size() >= names("avx2").size());
  CHECK_THROWS_AS(names("sse9"), dragoman::OptionsError);
  ::unsetenv("DRAGOMAN_CPU");
}

TEST_CASE("packed products keep the leading dimensions", "[unit]") {
  const PackedLinear matrix(torch::randn({5, 3}), {}, WeightType::int8);
  CHECK(matrix.multiply(torch::randn({2, 4, 3})).sizes() == at::IntArrayRef({2, 4, 5}));
  CHECK(matrix.multiply(torch::randn({0, 3})).sizes() == at::IntArrayRef({0, 5}));
  CHECK_THROWS_AS(matrix.multiply(torch::randn({2, 4})), dragoman::ContractError);
}

TEST_CASE("packed products accept any row stride", "[unit]") {
  const auto type = GENERATE(WeightType::float32, WeightType::bf16, WeightType::int8);
  const PackedLinear matrix(torch::randn({5, 8}), {}, type);
  const auto x = torch::randn({3, 4, 8});
  for (const auto& part : {x.select(1, 2), x.narrow(1, 1, 2), x.transpose(0, 1)})
    CHECK(test::same_bits(matrix.multiply(part),
                          matrix.multiply(part.clone(at::MemoryFormat::Contiguous))));
}

TEST_CASE("packing refuses weights that are not finite, and products propagate such rows",
          "[unit]") {
  const auto type = GENERATE(WeightType::float32, WeightType::bf16, WeightType::int8);
  auto weight = torch::ones({2, 3});
  const PackedLinear whole(weight, {}, type);
  auto x = torch::ones({2, 3});
  x[1][2] = std::numeric_limits<float>::quiet_NaN();
  const auto result = whole.multiply(x);
  CHECK(result[0].isfinite().all().item<bool>());
  CHECK_FALSE(result[1].isfinite().any().item<bool>());
  weight[1][1] = std::numeric_limits<float>::infinity();
  CHECK_THROWS_AS(PackedLinear(weight, {}, type), dragoman::DataError);
}

}  // namespace packed_matrix_test
