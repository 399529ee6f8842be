#include "dragoman/experiment/definition.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

#include <fstream>
#include <set>

namespace definition_test {

using namespace dragoman;

namespace {

std::filesystem::path own_definitions() {
  return test::source_folder() / "configs" / "experiments";
}

/// A definition of two variants next to its base configuration.
struct SmallDefinition {
  test::TemporaryDirectory folder;
  nlohmann::json json = {
      {"title", "Small?"},
      {"config", "base.json"},
      {"seeds", {1, 2}},
      {"variants",
       {{{"name", "plain"}}, {{"name", "wide"}, {"set", {"model.d_ff=64"}}, {"seeds", {3}}}}},
      {"columns", {"bleu"}},
      {"claims",
       {{{"says", "wide is better"},
         {"measure", "bleu"},
         {"compare", {{{"of", "wide"}, {"expect", "higher"}, {"than", "plain"}}}}}}}};

  Experiment read() const {
    std::ofstream(folder / "base.json")
        << R"({"model": {"d_model": 16, "d_ff": 32, "num_heads": 2}})";
    std::ofstream(folder / "small.json") << json.dump();
    return read_experiment(folder / "small.json");
  }
};

}  // namespace

TEST_CASE("every experiment shipped with the program can be run", "[unit]") {
  const auto experiments = read_experiments(own_definitions(), {"all"});
  CHECK(experiments.size() >= 8);
  for (const auto& experiment : experiments) {
    CAPTURE(experiment.name);
    CHECK(experiment.minutes > 0.0);
    CHECK_FALSE(experiment.about.empty());
    CHECK_FALSE(experiment.claims.empty());
    CHECK_FALSE(experiment.figures.empty());
    std::set<std::string> runs;
    for (const auto& variant : experiment.variants) {
      const auto seed = experiment.seeds_of(variant).front();
      CHECK(runs.insert(trial_name(experiment, variant, trial_options(experiment, variant, seed)))
                .second);
    }
  }
}

TEST_CASE("a definition is read with its variants' seeds and configurations", "[unit]") {
  const auto experiment = SmallDefinition().read();
  CHECK(experiment.name == "small");
  CHECK(experiment.seeds_of(experiment.variant("plain")) == std::vector<std::int64_t>{1, 2});
  CHECK(experiment.seeds_of(experiment.variant("wide")) == std::vector<std::int64_t>{3});
  const auto options = [&] {
    const SmallDefinition kept;
    const auto again = kept.read();
    return trial_options(again, again.variant("wide"), 3, {"train.max_steps=7"});
  }();
  CHECK(options.model.d_ff == 64);
  CHECK(options.model.d_model == 16);
  CHECK(options.seed == 3);
  CHECK(options.train.max_steps == 7);
}

TEST_CASE("errors in a definition are reported with their place", "[unit]") {
  const auto refusal = [](const nlohmann::json& patch) {
    SmallDefinition definition;
    definition.json = definition.json.patch(patch);
    try {
      definition.read();
    } catch (const OptionsError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto replaced = [&](const char* path, const nlohmann::json& value) {
    return refusal({{{"op", "add"}, {"path", path}, {"value", value}}});
  };
  CHECK_THAT(replaced("/titel", "x"), test::contains("/titel"));
  CHECK_THAT(replaced("/claims/0/compare/0/expect", "bigger"),
             test::contains("/claims/0/compare/0/expect"));
  CHECK_THAT(replaced("/claims/0/compare/0/than", "plane"), test::contains("no variant \"plane\""));
  CHECK_THAT(replaced("/columns/0", "blue"), test::contains("unknown measure \"blue\""));
  CHECK_THAT(replaced("/columns/0", "saturated"), test::contains("add \"saturation\" to /measure"));
  CHECK_THAT(replaced("/measure", {"weather"}), test::contains("\"weather\""));
  CHECK_THAT(replaced("/measure", {"lengths"}), test::contains("/length_limits: is empty"));
  CHECK_THAT(replaced("/length_limits", {8, 8}), test::contains("are not ascending"));
  CHECK_THAT(replaced("/variants/1/set", {"model.d_fff=1"}), test::contains("model.d_fff"));
  CHECK_THAT(replaced("/variants/1/name", "plain"), test::contains("two are called \"plain\""));
  CHECK_THAT(replaced("/seeds", nlohmann::json::array()), test::contains("/seeds: is empty"));
  CHECK_THAT(replaced("/minutes", "ten"), test::contains("is not an experiment"));
  CHECK_THAT(replaced("/task", {{"kind", "copies"}}), test::contains("/task/kind"));
  CHECK_THAT(replaced("/task", {{"kind", "sort"}, {"symbols", 99}}),
             test::contains("task: symbols 99"));
  CHECK_THAT(replaced("/measure", {"answers"}), test::contains("add a /task"));
}

TEST_CASE("a training's name depends on its options, not on the location of its text", "[unit]") {
  const SmallDefinition definition;
  auto experiment = definition.read();
  const auto& plain = experiment.variants[0];
  const auto options = trial_options(experiment, plain, 1);
  const auto name = trial_name(experiment, plain, options);
  auto elsewhere = options;
  elsewhere.data.train_source = {"/somewhere/else"};
  elsewhere.data.valid_target = "other";
  CHECK(trial_name(experiment, plain, elsewhere) == name);
  CHECK(trial_name(experiment, plain, trial_options(experiment, plain, 2)) != name);
  CHECK(trial_name(experiment, plain, trial_options(experiment, experiment.variants[1], 1)) !=
        name);
  experiment.train_pairs = 100;
  CHECK(trial_name(experiment, plain, options) != name);
}

TEST_CASE("a training on the user's text keeps the name from before tasks existed", "[unit]") {
  const SmallDefinition definition;
  const auto experiment = definition.read();
  const auto& plain = experiment.variants[0];
  CHECK(trial_name(experiment, plain, trial_options(experiment, plain, 1)) == "run-d1c8f76c1427");
}

TEST_CASE("a training on a synthetic text has a different name for each task", "[unit]") {
  SmallDefinition definition;
  definition.json["variants"][1] = {{"name", "wide"}, {"task", {{"kind", "sort"}}}};
  auto experiment = definition.read();
  CHECK(experiment.needs_text());
  const auto& plain = experiment.variants[0];
  const auto& sort = experiment.variants[1];
  const auto options = trial_options(experiment, plain, 1);
  const auto on_text = trial_name(experiment, plain, options);
  const auto on_sort = trial_name(experiment, sort, options);
  CHECK(on_sort != on_text);
  experiment.task.kind = TaskKind::copy;
  CHECK_FALSE(experiment.needs_text());
  CHECK(experiment.task_of(plain).kind == TaskKind::copy);
  CHECK(experiment.task_of(sort).kind == TaskKind::sort);
  CHECK(trial_name(experiment, sort, options) == on_sort);
  const auto on_copy = trial_name(experiment, plain, options);
  CHECK(on_copy != on_text);
  CHECK(on_copy != on_sort);
  experiment.task.seed = 2;
  CHECK(trial_name(experiment, plain, options) != on_copy);
}

TEST_CASE("an unknown experiment is refused with a list of the known ones", "[unit]") {
  CHECK_THROWS_WITH(read_experiments(own_definitions(), {"dept"}), test::contains("depth"));
  const test::TemporaryDirectory empty;
  CHECK_THROWS_WITH(read_experiments(empty.path(), {"all"}), test::contains("no experiments"));
}

}  // namespace definition_test
