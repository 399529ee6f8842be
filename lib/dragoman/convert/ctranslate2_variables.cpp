#include "dragoman/convert/ctranslate2_variables.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/run/parameters.h"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// The scale of int16 weights in files that do not state it.
constexpr double int16_scale_unsaid = 1000.0;

bool is_quantised(const CTranslate2Variable& variable) {
  return variable.type == CTranslate2Type::i8 || variable.type == CTranslate2Type::i16;
}

at::Tensor elements(const CTranslate2Variable& variable) {
  constexpr std::array types = {at::kFloat, at::kChar, at::kShort,
                                at::kInt,   at::kHalf, at::kBFloat16};
  const std::vector<std::int64_t> shape(variable.shape.begin(), variable.shape.end());
  const auto type = types.at(static_cast<std::size_t>(variable.type));
  const auto values = at::empty(shape, type);  // in the file they are not aligned
  const auto bytes = variable.bytes.view();
  if (!bytes.empty()) std::memcpy(values.mutable_data_ptr(), bytes.data(), bytes.size());
  return values.to(at::kFloat);
}

/// Scalars of features that our models lack, with the value that switches them off.
const std::vector<std::pair<std::string_view, double>>& switched_off() {
  static const std::vector<std::pair<std::string_view, double>> scalars = {
      {"/multi_query_attention", 0.0},   {"/sliding_window", 0.0},
      {"/final_logit_softcapping", 0.0}, {"/scale_outputs", 1.0},
      {"/layer_norm_use_residual", 0.0}, {"/layer_scalar", 1.0}};
  return scalars;
}

}  // namespace

CTranslate2Variables::CTranslate2Variables(CTranslate2File file, std::string place)
    : file_(std::move(file)), place_(std::move(place)) {}

bool CTranslate2Variables::are_one(const std::string& a, const std::string& b) const {
  if (file_.find(a) == nullptr || file_.find(a) != file_.find(b)) return false;
  note_read(a);
  note_read(b);
  return true;
}

void CTranslate2Variables::note_read(const std::string& name) const {
  read_.insert(name);
  if (const auto alias = file_.aliases.find(name); alias != file_.aliases.end())
    read_.insert(alias->second);
}

const CTranslate2Variable& CTranslate2Variables::variable(const std::string& name) const {
  const auto* found = file_.find(name);
  if (found == nullptr)
    throw FormatError(
        concat(place_, ": has no variable ", name, "; it is not a Transformer that can be read"));
  note_read(name);
  return *found;
}

std::pair<std::int64_t, std::int64_t> CTranslate2Variables::sizes(const std::string& name) const {
  const auto& shape = variable(name).shape;
  if (shape.size() != 2)
    throw FormatError(concat(place_, ": ", name, " is not a matrix; the file is damaged"));
  return {shape[0], shape[1]};
}

at::Tensor CTranslate2Variables::tensor(const std::string& name, std::int64_t dims) const {
  const auto values = numbers_of(name, dims);
  expect_finite_weights(values, place_, name);
  return values;
}

/// As float32, multiplied out if they are quantised.
at::Tensor CTranslate2Variables::numbers_of(const std::string& name, std::int64_t dims) const {
  const auto& found = variable(name);
  if (std::ssize(found.shape) != dims)
    throw FormatError(concat(place_, ": ", name, " has ", found.shape.size(),
                             " dimensions instead of ", dims, "; the file is damaged"));
  if (found.type == CTranslate2Type::i32)
    throw FormatError(concat(place_, ": ", name,
                             " holds int32 numbers: weights that are packed for AWQ cannot be "
                             "read; convert the model without them"));
  auto numbers = elements(found);
  if (file_.mapped) file_.mapped->drop_pages();
  if (!is_quantised(found)) return numbers.contiguous();
  const auto alias = file_.aliases.find(name);
  const auto scale_name = concat(alias == file_.aliases.end() ? name : alias->second, "_scale");
  if (!has(scale_name) && found.type == CTranslate2Type::i16) return numbers / int16_scale_unsaid;
  const auto scale = elements(variable(scale_name));
  if (scale.dim() == 0) return numbers / scale;
  if (scale.dim() != 1 || scale.size(0) != numbers.size(0))
    throw FormatError(concat(place_, ": ", scale_name, " does not have one number for each of the ",
                             numbers.size(0), " rows; the file is damaged"));
  return dims == 1 ? numbers / scale : numbers / scale.unsqueeze(1);
}

double CTranslate2Variables::number(const std::string& name, std::optional<double> or_else) const {
  if (!has(name) && or_else) return *or_else;
  const auto& found = variable(name);
  if (!found.shape.empty())
    throw FormatError(concat(place_, ": ", name, " is not a single number; the file is damaged"));
  return elements(found).item<double>();
}

std::int64_t CTranslate2Variables::integer(const std::string& name,
                                           std::optional<std::int64_t> or_else) const {
  if (!has(name) && or_else) return *or_else;
  const auto value = number(name);
  if (value != std::floor(value) || std::abs(value) > 1e9)
    refuse(name, value, "it should be a small whole number");
  return static_cast<std::int64_t>(value);
}

bool CTranslate2Variables::is_floating(const std::string& name) const {
  return !is_quantised(variable(name));
}

void CTranslate2Variables::refuse(const std::string& name, double value,
                                  const std::string& why) const {
  throw FormatError(concat(place_, ": ", name, " is ", value, ": ", why));
}

bool CTranslate2Variables::changes_nothing(const std::string& name) const {
  constexpr std::string_view scale = "_scale";
  if (name.ends_with(scale)) {
    const auto weight = name.substr(0, name.size() - scale.size());
    // That of its variable counts.
    if (file_.aliases.contains(weight) && read_.contains(weight)) return true;
  }
  if (!file_.find(name)->shape.empty()) return false;
  for (const auto& [ending, off] : switched_off()) {
    if (!name.ends_with(ending)) continue;
    const auto value = number(name);
    if (value != off) refuse(name, value, "this program's models do not support it");
    return true;
  }
  return false;
}

void CTranslate2Variables::expect_all_read() const {
  std::vector<std::string> unknown;
  for (const auto& [name, variable] : file_.variables)
    if (!read_.contains(name) && !changes_nothing(name)) unknown.push_back(name);
  for (const auto& [alias, name] : file_.aliases)
    if (!read_.contains(alias) && !changes_nothing(alias)) unknown.push_back(alias);
  if (!unknown.empty())
    throw FormatError(
        concat(place_, ": has entries that this kind of model lacks: ", listed_tensors(unknown)));
}

}  // namespace dragoman
