#include "dragoman/inference/file_weights.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/inference/engine_weights.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <cstring>
#include <limits>

namespace file_weights_test {

using dragoman::DType;
using dragoman::FileWeights;
using dragoman::TensorView;

namespace {

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::filesystem::path write_file(const test::TemporaryDirectory& folder,
                                 const std::vector<TensorView>& tensors,
                                 const dragoman::Metadata& metadata = {}) {
  std::string bytes;
  const auto content = dragoman::make_safetensors(tensors, metadata);
  for (const auto part : content.parts()) bytes += part;
  const auto path = folder / "model.safetensors";
  dragoman::write_file_atomically(path, bytes);
  return path;
}

}  // namespace

TEST_CASE("matrices of bf16 and int8 are read as the float32 that they represent", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto vector = bytes_of(std::vector<float>{1.5F, -2.0F}),
             scales = bytes_of(std::vector<float>{0.5F, 2.0F}),
             narrow = bytes_of(std::vector<std::int8_t>{1, -127, 3, 4}),
             half = bytes_of(std::vector<std::uint16_t>{0x3F80, 0xC000});
  const auto path = write_file(folder,
                               {{"a.bias", DType::f32, {2}, vector},
                                {"a.weight", DType::i8, {2, 2}, narrow},
                                {"a.weight.row_scale", DType::f32, {2}, scales},
                                {"b.weight", DType::bf16, {1, 2}, half}},
                               {{"weight_type", "int8"}});
  FileWeights weights(path);
  CHECK(weights.read("a.bias", {2}) == std::vector<float>{1.5F, -2.0F});
  CHECK(weights.read("a.weight", {2, 2}) == std::vector<float>{0.5F, -63.5F, 6.0F, 8.0F});
  CHECK(weights.read("b.weight", {1, 2}) == std::vector<float>{1.0F, -2.0F});
  weights.expect_all_read();
}

TEST_CASE("weights of a training in float64 are rounded to float32", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<double> values = {1.0 / 3.0, -2e-3};
  FileWeights weights(write_file(folder, {{"a", DType::f64, {2}, bytes_of(values)}}));
  CHECK(weights.read("a", {2}) ==
        std::vector<float>{static_cast<float>(values[0]), static_cast<float>(values[1])});
  weights.expect_all_read();
  const std::vector<double> large = {1e300, 0.0};
  FileWeights infinite(write_file(folder, {{"a", DType::f64, {2}, bytes_of(large)}}));
  infinite.read("a", {2});
  CHECK_THROWS_WITH(infinite.expect_all_read(), test::contains("holds NaN or infinity"));
}

TEST_CASE("missing and unknown tensors are named together", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto one = bytes_of(std::vector<float>{1.0F});
  FileWeights weights(
      write_file(folder, {{"known", DType::f32, {1}, one}, {"more", DType::f32, {1}, one}}));
  CHECK(weights.read("known", {1}).size() == 1);
  CHECK(weights.read("lost", {2, 3}).empty());
  CHECK_THROWS_WITH(weights.expect_all_read(),
                    test::contains("missing: tensor lost; unknown: tensor more"));
}

TEST_CASE("wrong shapes and types, and numbers that are not finite, are refused by name",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const auto check = [&](const TensorView& tensor, const char* message) {
    FileWeights weights(write_file(folder, {tensor}));
    weights.read("a", {2});
    CHECK_THROWS_WITH(weights.expect_all_read(),
                      test::contains("tensor a: ") && test::contains(message));
  };
  const auto two = bytes_of(std::vector<float>{1.0F, 2.0F});
  check({"a", DType::f32, {1, 2}, two}, "is [1, 2], the model has [2]");
  check({"a", DType::i32, {2}, two},
        "is I32, expected F32 or, if the file's metadata has weight_type, BF16 or I8");
  check({"a",
         DType::f32,
         {2},
         bytes_of(std::vector<float>{1.0F, std::numeric_limits<float>::infinity()})},
        "holds NaN or infinity");
}

TEST_CASE("a file of another model is named at once, however large the model would be", "[unit]") {
  const test::TemporaryDirectory folder;
  FileWeights weights(
      write_file(folder, {{"one", DType::f32, {1}, bytes_of(std::vector<float>{1.0F})}}));
  dragoman::ModelOptions options;
  options.d_ff = 1 << 20;  // more inputs than int8 sums hold
  CHECK_THROWS_WITH(dragoman::read_engine_weights(options, {.source = 1 << 20, .target = 1 << 20},
                                                  weights, dragoman::WeightType::int8),
                    test::contains("does not match this model; missing: tensor embedding"));
}

TEST_CASE("int8 without its scales is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto bytes = bytes_of(std::vector<std::int8_t>{1, 2});
  FileWeights weights(
      write_file(folder, {{"a", DType::i8, {1, 2}, bytes}}, {{"weight_type", "int8"}}));
  weights.read("a", {1, 2});
  CHECK_THROWS_WITH(weights.expect_all_read(), test::contains("int8 without a float32 scale"));
}

}  // namespace file_weights_test
