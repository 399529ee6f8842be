#include "dragoman/run/parameters.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/hostile.h"
#include "support/temporary_directory.h"

#include <torch/nn.h>

#include <algorithm>
#include <limits>

namespace parameters_test {

using namespace dragoman;

namespace {

torch::nn::Sequential network() {
  return torch::nn::Sequential(torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2));
}

NamedTensors copy_of(torch::nn::Sequential& module) {
  NamedTensors copy;
  for (const auto& [name, tensor] : parameters_of(*module)) copy[name] = tensor.clone();
  return copy;
}

std::string refusal(torch::nn::Sequential& module, const NamedTensors& tensors) {
  try {
    load_parameters(*module, tensors, "x.safetensors");
    return "";
  } catch (const FormatError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("A module loaded from a file computes the same bits", "[property]") {
  const test::TemporaryDirectory folder;
  auto first = network();
  first->eval();
  save_tensors(folder / "x.safetensors", parameters_of(*first));
  auto second = network();
  second->eval();
  const auto x = torch::randn({5, 3});
  CHECK_FALSE(second->forward(x).equal(first->forward(x)));
  load_parameters(*second, folder / "x.safetensors");
  CHECK(second->forward(x).equal(first->forward(x)));
}

TEST_CASE("adopted tensors are the module's own, and it can be trained", "[unit]") {
  auto first = network(), second = network();
  const auto tensors = copy_of(first);
  CHECK_THROWS_WITH(adopt_parameters(*second, {{"0.weight", torch::ones({2, 3})}}, "x"),
                    test::contains("x: does not match this model; missing: "));
  adopt_parameters(*second, tensors, "x");
  for (const auto& [name, tensor] : parameters_of(*second)) {
    CAPTURE(name);
    CHECK(tensor.data_ptr() == tensors.at(name).data_ptr());
  }
  for (const auto& parameter : second->parameters()) CHECK(parameter.requires_grad());
  first->eval();
  second->eval();
  const auto x = torch::randn({5, 3});
  CHECK(second->forward(x).equal(first->forward(x)));
}

TEST_CASE("Parameters and buffers are named by their path", "[unit]") {
  const auto names = parameters_of(*network());
  CHECK(names.contains("0.weight"));
  CHECK(names.contains("1.running_mean"));
  CHECK(names.size() == 7);
}

TEST_CASE("matching tensors of a file are loaded, and the rest is named", "[unit]") {
  const test::TemporaryDirectory folder;
  auto small = network();
  save_tensors(folder / "x.safetensors", parameters_of(*small));
  auto wider = torch::nn::Sequential(torch::nn::Linear(4, 2), torch::nn::BatchNorm1d(2),
                                     torch::nn::Linear(2, 2));
  const auto before = copy_of(wider);
  const auto load = load_matching_parameters(*wider, folder / "x.safetensors");
  CHECK(load.taken.size() == 6);  // the first bias, and the second layer
  CHECK(load.kept == std::vector<std::string>{"0.weight", "2.bias", "2.weight"});
  CHECK(load.left == std::vector<std::string>{"0.weight"});
  const auto after = parameters_of(*wider), source = parameters_of(*small);
  for (const auto& name : load.taken) CHECK(after.at(name).equal(source.at(name)));
  for (const auto& name : load.kept) CHECK(after.at(name).equal(before.at(name)));
  CHECK(load.text() ==
        "6 of 9 tensors; initialised: tensor 0.weight, tensor 2.bias, tensor 2.weight; not used: "
        "tensor 0.weight");
  auto other = torch::nn::Sequential(torch::nn::Linear(5, 7));
  CHECK_THROWS_AS(load_matching_parameters(*other, folder / "x.safetensors"), FormatError);
}

TEST_CASE("Missing names are listed before unknown ones", "[unit]") {
  auto module = network();
  auto tensors = copy_of(module);
  tensors["extra"] = tensors["0.weight"];
  tensors.erase("0.weight");
  CHECK_THAT(refusal(module, tensors),
             test::contains("x.safetensors: does not match this model; missing: tensor 0.weight; "
                            "unknown: tensor extra"));
}

TEST_CASE("Another shape or type is refused by the tensor's name", "[unit]") {
  auto module = network();
  auto tensors = copy_of(module);
  tensors["0.weight"] = tensors["0.weight"].t();
  CHECK_THAT(refusal(module, tensors),
             test::contains("tensor 0.weight: is Float [3, 2], the model has Float [2, 3]"));
  tensors = copy_of(module);
  tensors["0.bias"] = tensors["0.bias"].to(torch::kInt32);
  CHECK_THAT(refusal(module, tensors), test::contains("tensor 0.bias: is Int [2]"));
}

TEST_CASE("Weights in float64 become those of a module in float32, and the other way", "[unit]") {
  const auto norm = [] {
    return torch::nn::Sequential(torch::nn::Linear(3, 2),
                                 torch::nn::LayerNorm(torch::nn::LayerNormOptions({2})));
  };
  auto module = norm(), wide = norm(), adopting = norm();
  wide->to(torch::kFloat64);
  auto tensors = copy_of(wide);
  for (auto& [name, tensor] : tensors) tensor.fill_(1.0 / 3.0);
  load_parameters(*module, tensors, "x");
  adopt_parameters(*adopting, tensors, "x");
  for (const auto& loaded : {module, adopting})
    for (const auto& [name, tensor] : parameters_of(*loaded)) {
      CAPTURE(name);
      CHECK(tensor.scalar_type() == torch::kFloat32);
      CHECK(tensor.equal(tensors.at(name).to(torch::kFloat32)));
    }
  load_parameters(*wide, copy_of(module), "x");
  for (const auto& [name, tensor] : parameters_of(*wide)) {
    CHECK(tensor.scalar_type() == torch::kFloat64);
    CHECK(tensor.equal(parameters_of(*module).at(name).to(torch::kFloat64)));
  }
}

TEST_CASE("Weights that are not finite are refused by name and change nothing", "[unit]") {
  auto module = network();
  const auto before = copy_of(module);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    auto tensors = copy_of(module);
    for (auto& [name, tensor] : tensors) tensor.zero_();
    tensors["1.weight"][1] = bad;
    CHECK_THAT(refusal(module, tensors), test::contains("tensor 1.weight: holds NaN or infinity"));
  }
  for (const auto& [name, tensor] : parameters_of(*module)) CHECK(tensor.equal(before.at(name)));
}

TEST_CASE("Hostile values load as a file but not as weights", "[golden]") {
  int refused = 0;
  for (const auto& entry : test::hostile_cases("safetensors")) {
    if (entry.at("expect") == "reject") continue;
    const auto path = test::hostile_file(entry);
    CAPTURE(path.string());
    NamedTensors tensors;
    try {
      tensors = load_tensors(path);
    } catch (const Error&) {
      CHECK(entry.at("expect") == "either");
      continue;
    }
    const auto bad = std::ranges::find_if(tensors, [](const NamedTensors::value_type& named) {
      const auto& tensor = named.second;
      return tensor.is_floating_point() && !at::isfinite(tensor).all().item<bool>();
    });
    if (bad == tensors.end()) {
      CHECK_NOTHROW(expect_finite(tensors, path.string()));
      continue;
    }
    CHECK_THROWS_WITH(
        expect_finite(tensors, path.string()),
        test::contains(concat(path.string(), ": tensor ", bad->first, ": holds NaN or infinity")));
    ++refused;
  }
  CHECK(refused > 0);
}

}  // namespace parameters_test
