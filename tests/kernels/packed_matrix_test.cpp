#include "dragoman/core/error.h"
#include "dragoman/kernels/packed_rows.h"
#include "dragoman/tensor/packed_linear.h"

#include "support/close.h"

#include <torch/types.h>

#include <limits>

namespace packed_matrix_test {

using dragoman::PackedLinear;
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

TEST_CASE("int8 rounds the same on every processor: the product before the sum", "[unit]") {
  torch::manual_seed(5);
  constexpr std::int64_t rows = 2000, width = 256;
  const auto x = torch::randn({rows, width});
  std::vector<std::int32_t> words(width / 4);
  std::int64_t different = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto* row = x.const_data_ptr<float>() + r * width;
    const float scale = dragoman::pack_int8_row(row, width, 0, words.data());
    const auto* bytes = reinterpret_cast<const std::int8_t*>(words.data());
    for (std::int64_t i = 0; i < width; ++i) {
      const volatile float product = row[i] * (1.0F / scale);  // rounded on its own
      const volatile float sum = product + 128.5F;
      different += bytes[i] == static_cast<std::int32_t>(sum) - 128 ? 0 : 1;
    }
  }
  CHECK(different == 0);
}

TEST_CASE("sums of int8 products that could overflow are refused", "[unit]") {
  const auto product = [](std::int64_t inputs) {
    const auto ones = torch::ones({1, inputs});
    return PackedLinear(ones, {}, WeightType::int8).multiply(ones).item<float>();
  };
  CHECK(product(133'144) == 133'144.0F);
  CHECK_THROWS_WITH(product(133'145), test::contains("this model needs 133145; choose float32"));
}

}  // namespace packed_matrix_test
