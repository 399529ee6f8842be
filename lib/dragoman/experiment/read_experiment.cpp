#include "dragoman/config/strict_json.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/definition_form.h"
#include "dragoman/experiment/measures.h"

#include <algorithm>
#include <set>

namespace dragoman {

namespace {

using nlohmann::json;

/// Checks something at a place of the definition, which begins the messages of errors.
template <typename Check>
void check_at(const std::string& place, const Check& check) {
  try {
    check();
  } catch (const OptionsError& error) {
    throw OptionsError(concat(place, ": ", error.what()));
  }
}

void require(bool holds, const std::string& place, const std::string& otherwise) {
  if (!holds) throw OptionsError(concat(place, ": ", otherwise));
}

void require_filled(bool filled, const std::string& place) {
  require(filled, place, "is empty; give at least one");
}

void expect_seeds(const std::vector<std::int64_t>& seeds, const std::string& place) {
  std::set<std::int64_t> known;
  for (const auto seed : seeds) {
    require(seed >= 0, place, concat(seed, " is below 0; seeds begin at 0"));
    require(known.insert(seed).second, place,
            concat(seed, " is listed twice, which is the same training again; remove one"));
  }
}

void expect_settings(const std::vector<std::string>& settings, const std::string& place) {
  for (std::size_t i = 0; i < settings.size(); ++i)
    expect_own_options_free({settings[i]}, concat(place, '/', i));
}

void expect_pretraining(const Experiment& experiment, const Variant& variant,
                        const std::string& place) {
  if (variant.pretrain.empty()) return;
  expect_settings(variant.pretrain, place);
  require(experiment.train_pairs > 0, place,
          "reads the text after the first pairs; give their number as /train_pairs");
  require(!experiment.task_of(variant).any(), place,
          "is defined for your own text only; leave the task out");
  require(!experiment.measures("gradients") && !experiment.measures("saturation"), place,
          "is not the random beginning that \"gradients\" and \"saturation\" measure; leave them "
          "out of /measure");
}

void expect_variants(const Experiment& experiment) {
  require(!experiment.config.empty(), "/config", "is missing; name the base configuration");
  require_filled(!experiment.variants.empty(), "/variants");
  require(experiment.train_pairs >= 0, "/train_pairs",
          concat(experiment.train_pairs, " is below 0; give a number of pairs, or 0 for all"));
  expect_seeds(experiment.seeds, "/seeds");
  expect_settings(experiment.set, "/set");
  experiment.task.validate("/task/");
  std::set<std::string> names;
  for (std::size_t i = 0; i < experiment.variants.size(); ++i) {
    const auto& variant = experiment.variants[i];
    const auto place = concat("/variants/", i);
    require(!variant.name.empty(), place + "/name", "is empty; give each variant a name");
    require(names.insert(variant.name).second, place + "/name",
            concat("two variants are called \"", printable(variant.name, 80), "\"; rename one"));
    require_filled(!experiment.seeds_of(variant).empty(), "/seeds");
    expect_seeds(variant.seeds, place + "/seeds");
    expect_settings(variant.set, place + "/set");
    variant.task.validate(place + "/task/");
    expect_pretraining(experiment, variant, place + "/pretrain");
  }
}

/// Checks that a measure exists and that this experiment measures it.
void expect_measured(const Experiment& experiment, const std::string& name,
                     const std::string& place) {
  check_at(place, [&] {
    const auto& measure = measure_named(name);
    if (!measure.part.empty() && !experiment.measures(measure.part))
      throw OptionsError(
          concat('"', name, "\" is not measured; add \"", measure.part, "\" to /measure"));
  });
}

/// A key that only a measurement or a kind of text reads.
void require_use(bool used, bool given, const std::string& place, const char* use) {
  require(used || !given, place, concat("has no effect without ", use, "; remove it"));
}

void expect_measurements(const Experiment& experiment) {
  const auto known = extra_measurements();
  for (std::size_t i = 0; i < experiment.measure.size(); ++i)
    require(std::ranges::find(known, experiment.measure[i]) != known.end(), concat("/measure/", i),
            concat('"', printable(experiment.measure[i], 80), "\" is unknown; choose among ",
                   joined(known, ", ", " and ")));
  const auto& limits = experiment.length_limits;
  if (experiment.measures("lengths")) require_filled(!limits.empty(), "/length_limits");
  require_use(experiment.measures("lengths"), !limits.empty(), "/length_limits",
              "\"lengths\" in /measure");
  require(std::ranges::all_of(limits, [](std::int64_t limit) { return limit > 0; }),
          "/length_limits", "has a limit below 1; a source has a piece at least");
  require_use(experiment.measures("heads"), !experiment.word_pairs.empty(), "/word_pairs",
              "\"heads\" in /measure");
  if (experiment.measures("heads")) {
    require(experiment.needs_text(), "/measure",
            "\"heads\" are measured on your own text; leave /task out");
    require_filled(!experiment.word_pairs.empty(), "/word_pairs");
    require(std::filesystem::exists(experiment.folder / experiment.word_pairs), "/word_pairs",
            concat(experiment.word_pairs, " is not in the definition's folder; put it there"));
  }
  require(!experiment.measures("answers") || !experiment.needs_text(), "/measure",
          "\"answers\" are defined for tasks only; add a /task");
  require(std::ranges::adjacent_find(limits, std::greater_equal<>()) == limits.end(),
          "/length_limits", "are not ascending; sort them");
  for (std::size_t i = 0; i < experiment.columns.size(); ++i)
    expect_measured(experiment, experiment.columns[i], concat("/columns/", i));
}

/// Checks that a figure's `of` or `measure` is one of two names.
void expect_either(const std::string& value, const std::string& place, const char* first,
                   const char* second) {
  require(value == first || value == second, place,
          concat('"', printable(value, 80), "\" is neither \"", first, "\" nor \"", second,
                 "\"; write one of them"));
}

void expect_figure(const Experiment& experiment, const Figure& figure, const std::string& place) {
  const auto measured = [&](const std::string& name, const char* key) {
    expect_measured(experiment, name, concat(place, '/', key));
  };
  switch (figure.kind) {
    case FigureKind::values:
    case FigureKind::bars: return measured(figure.measure, "measure");
    case FigureKind::curves: return expect_either(figure.of, place + "/of", "train", "valid");
    case FigureKind::reliability: return;
    case FigureKind::layers:
      expect_either(figure.of, place + "/of", "initial", "trained");
      expect_either(figure.measure, place + "/measure", "encoder", "decoder");
      return measured("gradient_ratio", "kind");
    case FigureKind::lengths:
      expect_either(figure.measure, place + "/measure", "bleu", "nll");
      return measured("nll_within", "kind");
    case FigureKind::answers: return measured("answers", "kind");
    case FigureKind::heads:
      require(figure.measure == "distance" || figure.measure == "neighbours" ||
                  figure.measure == "relations",
              place + "/measure", "is not distance, neighbours or relations; write one of them");
      return measured("distance_upper", "kind");
  }
}

void expect_comparison(const Experiment& experiment, const Expected& expected, const json& given,
                       const std::string& place) {
  check_at(place + "/of", [&] { experiment.variant(expected.of); });
  if (!expected.than.empty()) check_at(place + "/than", [&] { experiment.variant(expected.than); });
  require(expected.of != expected.than, place + "/than",
          "a variant is compared with itself; name another");
  require(given.contains("than") != given.contains("value") &&
              (!given.contains("than") || !expected.than.empty()),
          place, "compares with a variant or with a number; give either \"than\" or \"value\"");
}

void expect_claims(const Experiment& experiment, const json& given) {
  for (std::size_t i = 0; i < experiment.claims.size(); ++i) {
    const auto& claim = experiment.claims[i];
    const auto place = concat("/claims/", i);
    expect_measured(experiment, claim.measure, place + "/measure");
    require(claim.margin >= 0.0, place + "/margin", "is below 0; give a difference");
    require_filled(!claim.compare.empty(), place + "/compare");
    for (std::size_t j = 0; j < claim.compare.size(); ++j) {
      require(claim.margin > 0.0 || claim.compare[j].expect != Expectation::similar,
              place + "/margin",
              "is 0, but two measures are never equal; give the largest difference allowed");
      expect_comparison(experiment, claim.compare[j], given[i].at("compare")[j],
                        concat(place, "/compare/", j));
    }
  }
}

}  // namespace

Experiment read_experiment(const std::filesystem::path& file) {
  const auto place = file.string();
  const auto given = parse_strict_json(read_file(file), place);
  Experiment experiment;
  check_at(place, [&] {
    expect_form_of_definition(given);
    experiment = given.get<Experiment>();
    experiment.name = file.stem().string();
    experiment.folder = file.parent_path();
    expect_variants(experiment);
    expect_measurements(experiment);
    for (std::size_t i = 0; i < experiment.figures.size(); ++i)
      expect_figure(experiment, experiment.figures[i], concat("/figures/", i));
    expect_claims(experiment, given.value("claims", json::array()));
    for (std::size_t i = 0; i < experiment.variants.size(); ++i)
      check_at(concat("/variants/", i), [&] {
        const auto& variant = experiment.variants[i];
        trial_options(experiment, variant, 1);
        if (!variant.pretrain.empty()) pretraining_options(experiment, variant, 1);
      });
  });
  return experiment;
}

}  // namespace dragoman
