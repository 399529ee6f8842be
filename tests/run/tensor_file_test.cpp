#include "dragoman/run/tensor_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/hostile.h"
#include "support/temporary_directory.h"

#include <torch/types.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tensor_file_test {

using namespace dragoman;

TEST_CASE("Tensors of every type survive a round trip bit for bit", "[property]") {
  const test::TemporaryDirectory folder;
  NamedTensors tensors;
  const auto values = torch::tensor({-2.0, -0.0, 1.0, 100.0}).reshape({2, 2});
  for (const auto type :
       {torch::kBool, torch::kUInt8, torch::kInt8, torch::kInt16, torch::kInt32, torch::kInt64,
        torch::kFloat16, torch::kBFloat16, torch::kFloat32, torch::kFloat64})
    tensors[torch::toString(type)] = values.to(type);
  tensors["scalar"] = torch::tensor(42, torch::kInt64).reshape({});
  tensors["empty"] = torch::empty({0, 3});
  tensors["nan"] = torch::full({2}, std::numeric_limits<float>::quiet_NaN());
  save_tensors(folder / "x.safetensors", tensors);

  const auto loaded = load_tensors(folder / "x.safetensors");
  REQUIRE(loaded.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    const auto& found = loaded.at(name);
    CHECK(found.scalar_type() == tensor.scalar_type());
    CHECK(found.sizes() == tensor.sizes());
    CHECK(std::memcmp(found.data_ptr(), tensor.data_ptr(), tensor.nbytes()) == 0);
  }
}

TEST_CASE("A transposed tensor is written row by row", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto matrix = torch::arange(6, torch::kFloat32).reshape({2, 3}).t();
  save_tensors(folder / "x.safetensors", {{"m", matrix}});
  CHECK(load_tensors(folder / "x.safetensors").at("m").equal(matrix));
}

TEST_CASE("The same tensors give the same file", "[property]") {
  const test::TemporaryDirectory folder;
  const NamedTensors tensors = {{"a", torch::ones({3})}, {"b", torch::zeros({2}, torch::kInt64)}};
  save_tensors(folder / "1", tensors, {{"k", "v"}});
  save_tensors(folder / "2", tensors, {{"k", "v"}});
  CHECK(read_file(folder / "1") == read_file(folder / "2"));
}

TEST_CASE("tensors that are made while they are written give the same file", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto matrix = torch::arange(6, torch::kFloat32).reshape({2, 3}), row = torch::ones({3});
  save_tensors(folder / "1", {{"b", matrix.t()}, {"a", row}}, {{"k", "v"}});
  std::map<std::string, LazyTensor> later;
  later["b"] = {.shape = {3, 2}, .make = [&] { return matrix.t(); }};
  later["a"] = {.shape = {3}, .make = [&] { return row.to(torch::kFloat64); }};
  save_lazy_tensors(folder / "2", later, {{"k", "v"}});
  CHECK(read_file(folder / "1") == read_file(folder / "2"));
  later["a"].shape = {4};
  CHECK_THROWS_AS(save_lazy_tensors(folder / "3", later), ContractError);
  CHECK_FALSE(std::filesystem::exists(folder / "3"));
}

TEST_CASE("Values of a file written by another library are read", "[golden]") {
  const std::map<std::string, at::ScalarType> types{
      {"F64", at::kDouble}, {"F32", at::kFloat}, {"F16", at::kHalf},  {"BF16", at::kBFloat16},
      {"I64", at::kLong},   {"I32", at::kInt},   {"I16", at::kShort}, {"I8", at::kChar},
      {"U8", at::kByte},    {"BOOL", at::kBool}};
  std::size_t read = 0;
  for (const auto& entry : test::hostile_cases("safetensors")) {
    if (entry.at("expect") != "accept") continue;
    const auto path = test::hostile_file(entry);
    CAPTURE(path.string());
    const auto bytes = read_file(path);
    std::uint64_t header_size = 0;
    std::memcpy(&header_size, bytes.data(), sizeof header_size);
    const auto data = sizeof header_size + header_size;
    auto header = nlohmann::json::parse(bytes.substr(sizeof header_size, header_size));
    header.erase("__metadata__");
    const auto tensors = load_tensors(path);
    CHECK(tensors.size() == header.size());
    for (const auto& [name, stored] : header.items()) {
      CAPTURE(name);
      const auto tensor = tensors.at(name).contiguous();
      CHECK(tensor.scalar_type() == types.at(stored.at("dtype").get<std::string>()));
      CHECK(tensor.sizes() == stored.at("shape").get<std::vector<std::int64_t>>());
      const auto begin = stored.at("data_offsets").at(0).get<std::size_t>(),
                 end = stored.at("data_offsets").at(1).get<std::size_t>();
      CHECK(std::string(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()) ==
            bytes.substr(data + begin, end - begin));
      ++read;
    }
  }
  CHECK(read > 0);
}

}  // namespace tensor_file_test
