#include "dragoman/config/strict_json.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/measures.h"

#include <algorithm>
#include <set>

namespace dragoman {

namespace {

using nlohmann::json;

/// The first pointer of `given` that is missing in `read`: an unknown key, a misspelt name. Empty
/// if there is none.
std::string first_lost(const json& given, const json& read, const std::string& place) {
  if (given.is_object() && read.is_object()) {
    for (const auto& [key, value] : given.items()) {
      const auto below = concat(place, "/", printable(key, 80));
      if (!read.contains(key)) return below;
      if (auto lost = first_lost(value, read.at(key), below); !lost.empty()) return lost;
    }
    return {};
  }
  if (given.is_array() && read.is_array() && given.size() == read.size()) {
    for (std::size_t i = 0; i < given.size(); ++i)
      if (auto lost = first_lost(given[i], read[i], concat(place, "/", i)); !lost.empty())
        return lost;
    return {};
  }
  return given == read ? std::string() : place;
}

Experiment from_strict_json(const json& given, const std::string& place) {
  Experiment experiment;
  try {
    experiment = given.get<Experiment>();
  } catch (const json::exception& error) {
    throw OptionsError(concat(place, ": is not an experiment: ", printable(error.what(), 300),
                              "; see configs/experiments/README.md"));
  }
  if (const auto lost = first_lost(given, json(experiment), ""); !lost.empty())
    throw OptionsError(concat(place, ": ", lost,
                              ": unknown key, or invalid value; see "
                              "configs/experiments/README.md"));
  return experiment;
}

void require_filled(bool filled, const char* key) {
  if (!filled) throw OptionsError(concat("/", key, ": is empty; give at least one"));
}

void expect_variants(const Experiment& experiment) {
  require_filled(!experiment.config.empty(), "config");
  require_filled(!experiment.variants.empty(), "variants");
  std::set<std::string> names;
  for (const auto& variant : experiment.variants) {
    if (!names.insert(variant.name).second)
      throw OptionsError(concat("/variants: two are called \"", variant.name, "\"; rename one"));
    require_filled(!experiment.seeds_of(variant).empty(), "seeds");
    experiment.task_of(variant).validate();
  }
}

/// Checks that a measure exists and that this experiment measures it.
void expect_measured(const Experiment& experiment, const std::string& name) {
  const auto& measure = measure_named(name);
  if (!measure.part.empty() && !experiment.measures(measure.part))
    throw OptionsError(
        concat("\"", name, "\" is not measured; add \"", measure.part, "\" to /measure"));
}

void expect_measurements(const Experiment& experiment) {
  const auto known = extra_measurements();
  for (const auto& part : experiment.measure)
    if (std::find(known.begin(), known.end(), part) == known.end())
      throw OptionsError(
          concat("/measure: \"", part,
                 "\" is unknown; choose among gradients, saturation, lengths and answers"));
  const auto& limits = experiment.length_limits;
  if (experiment.measures("lengths")) require_filled(!limits.empty(), "length_limits");
  if (experiment.measures("answers") && experiment.needs_text())
    throw OptionsError("/measure: \"answers\" are defined for tasks only; add a /task");
  if (std::adjacent_find(limits.begin(), limits.end(), std::greater_equal<>()) != limits.end())
    throw OptionsError("/length_limits: are not ascending; sort them");
  for (const auto& column : experiment.columns) expect_measured(experiment, column);
}

void expect_figures(const Experiment& experiment) {
  for (const auto& figure : experiment.figures) {
    if (figure.kind == FigureKind::values || figure.kind == FigureKind::bars)
      expect_measured(experiment, figure.measure);
    if (figure.kind == FigureKind::layers) expect_measured(experiment, "gradient_ratio");
    if (figure.kind == FigureKind::lengths) expect_measured(experiment, "nll_within");
    if (figure.kind == FigureKind::answers) expect_measured(experiment, "answers");
  }
}

void expect_claims(const Experiment& experiment) {
  for (const auto& claim : experiment.claims) {
    expect_measured(experiment, claim.measure);
    require_filled(!claim.compare.empty(), "claims/compare");
    for (const auto& expected : claim.compare) {
      experiment.variant(expected.of);
      if (!expected.than.empty()) experiment.variant(expected.than);
    }
  }
}

}  // namespace

Experiment read_experiment(const std::filesystem::path& file) {
  const auto place = file.string();
  auto experiment = from_strict_json(parse_strict_json(read_file(file), place), place);
  experiment.name = file.stem().string();
  experiment.folder = file.parent_path();
  try {
    expect_variants(experiment);
    expect_measurements(experiment);
    expect_figures(experiment);
    expect_claims(experiment);
    for (const auto& variant : experiment.variants) trial_options(experiment, variant, 1);
  } catch (const OptionsError& error) {
    throw OptionsError(concat(place, ": ", error.what()));
  }
  return experiment;
}

}  // namespace dragoman
