#pragma once

#include "support/close.h"
#include "support/devices.h"
#include "support/shared.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// A tensor of golden/transformer.json: {"shape", "dtype", "data"}.
inline at::Tensor golden_tensor(const nlohmann::json& stored) {
  const auto shape = stored.at("shape").get<std::vector<std::int64_t>>();
  const auto dtype = stored.at("dtype").get<std::string>();
  if (dtype == "float64")
    return at::tensor(stored.at("data").get<std::vector<double>>(), at::kDouble).view(shape);
  const auto whole = at::tensor(stored.at("data").get<std::vector<std::int64_t>>(), at::kLong);
  return (dtype == "bool" ? whole.to(at::kBool) : whole).view(shape);
}

/// Plain nested numbers of golden/seeds.json, as a float64 tensor of zero, one or two axes.
inline at::Tensor plain_tensor(const nlohmann::json& numbers) {
  if (!numbers.is_array()) return at::scalar_tensor(numbers.get<double>(), at::kDouble);
  if (!numbers.at(0).is_array()) return at::tensor(numbers.get<std::vector<double>>(), at::kDouble);
  std::vector<at::Tensor> rows;
  for (const auto& row : numbers) rows.push_back(plain_tensor(row));
  return at::stack(rows);
}

inline const nlohmann::json& golden_file() {
  static const auto content = read_json(cases("golden/transformer.json"));
  return content;
}

/// What golden/transformer.json has of a case.
inline const nlohmann::json& golden_case(const std::string& name) {
  return golden_file().at("cases").at(name);
}

/// One case of golden/transformer.json in the type and on the device that a test runs with.
class GoldenCase {
 public:
  GoldenCase(const std::string& name, const at::TensorOptions& place)
      : stored_(golden_case(name)), place_(place) {}

  at::ScalarType type() const { return c10::typeMetaToScalarType(place_.dtype()); }
  at::Device device() const { return place_.device(); }

  const nlohmann::json& json() const { return stored_; }
  const nlohmann::json& params() const { return stored_.at("params"); }
  bool has(const std::string& group, const std::string& name) const {
    return stored_.contains(group) && stored_.at(group).contains(name);
  }
  at::Tensor at(const std::string& group, const std::string& name) const {
    return in_place(golden_tensor(stored_.at(group).at(name)));
  }
  at::Tensor input(const std::string& name) const { return at("inputs", name); }
  at::Tensor output(const std::string& name) const { return at("outputs", name); }
  at::Tensor grad_output() const { return in_place(golden_tensor(stored_.at("grad_output"))); }
  at::Tensor optional_input(const std::string& name) const {
    return has("inputs", name) ? input(name) : at::Tensor();
  }
  /// A real-valued input that collects a gradient.
  at::Tensor variable(const std::string& name) const { return input(name).requires_grad_(); }

 private:
  at::Tensor in_place(const at::Tensor& x) const {
    return (x.is_floating_point() ? x.to(type()) : x).to(device());
  }

  const nlohmann::json& stored_;
  at::TensorOptions place_;
};

/// The names of the golden cases that begin with `prefix`; fails if there are none.
inline std::vector<std::string> golden_names(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [name, stored] : golden_file().at("cases").items())
    if (name.starts_with(prefix)) names.push_back(name);
  CAPTURE(prefix);
  REQUIRE_FALSE(names.empty());
  return names;
}

/// A list of a golden case, such as its "runs"; fails if it is empty.
inline const nlohmann::json& golden_list(const nlohmann::json& stored, const std::string& name) {
  const auto& list = stored.at(name);
  CAPTURE(name);
  REQUIRE_FALSE(list.empty());
  return list;
}

/// The number that follows `name` in a case's definition, such as "eps 0.1".
inline double stated_number(const nlohmann::json& stored, const std::string& name) {
  const auto text = stored.at("definition").get<std::string>();
  const auto at = text.find(name);
  CAPTURE(text, name);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + name.size()));
}

/// The scale of the golden attentions, 1 / sqrt(d_k). \param query [..., d_k]
inline double scale_of(const at::Tensor& query) {
  return 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
}

/// Both types in which every golden case must hold.
inline const std::vector<at::ScalarType>& golden_types() {
  static const std::vector<at::ScalarType> types{at::kDouble, at::kFloat};
  return types;
}

/// The same types on the CPU and on another device.
inline std::vector<at::TensorOptions> golden_places() {
  std::vector<at::TensorOptions> places;
  for (const auto& device : test_devices())
    for (const auto type : golden_types()) places.push_back(at::device(device).dtype(type));
  return places;
}

/// All cases of golden/seeds.json.
inline const nlohmann::json& worked_examples() {
  static const auto content = read_json(cases("golden/seeds.json"));
  return content.at("cases");
}

/// The case of this id among the cases of a file such as golden/seeds.json.
inline nlohmann::json case_of_id(const nlohmann::json& all, const std::string& id) {
  for (const auto& one : all)
    if (one.at("id") == id) return one;
  throw std::runtime_error("golden/seeds.json: no case " + id);
}

/// The case of this id in golden/seeds.json.
inline nlohmann::json worked_example(const std::string& id) {
  return case_of_id(worked_examples(), id);
}

}  // namespace test
