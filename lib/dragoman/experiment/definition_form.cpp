#include "dragoman/experiment/definition_form.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/experiment/definition.h"

#include <string>

namespace dragoman {

namespace {

using nlohmann::json;

constexpr const char* see_keys = "; see configs/experiments/README.md";

/// A definition with one of everything.
json whole_definition() {
  const TaskOptions task{.lengths = {1}};
  Experiment experiment;
  experiment.set = {""};
  experiment.seeds = {1};
  experiment.task = task;
  experiment.measure = {""};
  experiment.length_limits = {1};
  experiment.variants = {{.name = "", .set = {""}, .seeds = {1}, .task = task, .pretrain = {""}}};
  experiment.columns = {""};
  experiment.figures = {Figure{}};
  experiment.claims = {Claim{.says = "", .measure = "", .compare = {Expected{}}}};
  return experiment;
}

const char* type_in_words(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "text";
  if (value.is_boolean()) return "true or false";
  return value.is_number_integer() ? "a whole number" : "a number";
}

bool has_type_of(const json& value, const json& model) {
  if (model.is_number_float()) return value.is_number();
  if (model.is_number_integer()) return value.is_number_integer();
  return value.type() == model.type();
}

void expect_types(const json& given, const json& model, const std::string& place) {
  if (!has_type_of(given, model))
    throw OptionsError(concat(place.empty() ? "/" : place, ": ", printable(given.dump(), 80),
                              " is not ", type_in_words(model), see_keys));
  if (given.is_object())
    for (const auto& [key, value] : given.items()) {
      const auto below = concat(place, '/', printable(key, 80));
      if (!model.contains(key)) throw OptionsError(concat(below, ": unknown key", see_keys));
      expect_types(value, model.at(key), below);
    }
  if (given.is_array())
    for (std::size_t i = 0; i < given.size(); ++i)
      expect_types(given[i], model.at(0), concat(place, '/', i));
}

/// Names of which reading makes another value are unknown.
void expect_names(const json& given, const json& read, const std::string& place) {
  if (given.is_object())
    for (const auto& [key, value] : given.items())
      expect_names(value, read.at(key), concat(place, '/', key));
  else if (given.is_array())
    for (std::size_t i = 0; i < given.size(); ++i)
      expect_names(given[i], read.at(i), concat(place, '/', i));
  else if (given != read)
    throw OptionsError(
        concat(place, ": ", printable(given.dump(), 80), " is not among its values", see_keys));
}

}  // namespace

void expect_form_of_definition(const json& given) {
  expect_types(given, whole_definition(), "");
  expect_names(given, given.get<Experiment>(), "");
}

}  // namespace dragoman
