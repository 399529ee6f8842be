#include "dragoman/experiment/definition.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/temporary_directory.h"

#include <sys/stat.h>

#include <algorithm>
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
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(own_definitions()))
    if (entry.path().extension() == ".json") ++files;
  REQUIRE(files > 0);
  CHECK(experiments.size() == files);
  for (const auto& experiment : experiments) {
    CAPTURE(experiment.name);
    CHECK(experiment.expected_minutes > 0.0);
    CHECK_FALSE(experiment.about.empty());
    CHECK_FALSE(experiment.claims.empty());
    CHECK_FALSE(experiment.figures.empty());
    std::set<std::string> runs;
    for (const auto& variant : experiment.variants)
      for (const auto seed : experiment.seeds_of(variant)) {
        CAPTURE(variant.name, seed);
        const auto options = trial_options(experiment, variant, seed);
        const auto before =
            variant.pretrain.empty()
                ? ""
                : pretraining_name(experiment, pretraining_options(experiment, variant, seed));
        CHECK(runs.insert(trial_name(experiment, variant, options, before)).second);
        // Smoothed losses of different smoothing would choose checkpoints by different rules.
        CHECK(options.train.early_stopping_metric == ValidationMetric::perplexity);
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

namespace {

/// The message with which the small definition, patched, is refused.
std::string refusal(const nlohmann::json& patch) {
  SmallDefinition definition;
  definition.json = definition.json.patch(patch);
  try {
    definition.read();
  } catch (const OptionsError& error) {
    const std::string text = error.what(), file = (definition.folder / "small.json").string();
    CHECK(text.starts_with(file + ": /"));
    return text.substr(std::min(text.size(), file.size() + 2));
  }
  return "accepted";
}

std::string refusal_with(const char* path, const nlohmann::json& value) {
  return refusal({{{"op", "add"}, {"path", path}, {"value", value}}});
}

}  // namespace

TEST_CASE("errors in a definition are reported with their place", "[unit]") {
  const auto begins_at = [](const char* path, const nlohmann::json& value,
                            const std::string& message) {
    const auto text = refusal_with(path, value);
    CAPTURE(path, text);
    CHECK(text.starts_with(message));
  };
  begins_at("/titel", "x", "/titel: unknown key; see ");
  begins_at("/claims/0/compare/0/expect", "bigger",
            "/claims/0/compare/0/expect: \"bigger\" is not among its values");
  begins_at("/claims/0/compare/0/than", "plane",
            "/claims/0/compare/0/than: no variant \"plane\"; choose one of plain, wide");
  begins_at("/claims/0/compare/0/of", "", "/claims/0/compare/0/of: no variant \"\"");
  begins_at("/claims/0/measure", "blue",
            "/claims/0/measure: \"blue\" is not a measure; choose one of ");
  begins_at("/columns/0", "blue", "/columns/0: \"blue\" is not a measure");
  begins_at("/columns/0", "saturated",
            "/columns/0: \"saturated\" is not measured; add \"saturation\" to /measure");
  begins_at("/measure", {"weather"}, "/measure/0: \"weather\" is unknown");
  begins_at("/measure", {"lengths"}, "/length_limits: is empty");
  begins_at("/measure", {"heads"}, "/word_pairs: is empty");
  begins_at("/length_limits", {8, 16}, "/length_limits: has no effect without \"lengths\"");
  begins_at("/word_pairs", "pairs", "/word_pairs: has no effect without \"heads\" in /measure");
  const auto limits = [](const nlohmann::json& values) {
    return refusal({{{"op", "add"}, {"path", "/measure"}, {"value", {"lengths"}}},
                    {{"op", "add"}, {"path", "/length_limits"}, {"value", values}}});
  };
  CHECK(limits({8, 8}).starts_with("/length_limits: are not ascending"));
  CHECK(limits({0, 8}).starts_with("/length_limits: has a limit below 1"));
  CHECK(limits({8, 16}) == "accepted");
  begins_at("/variants/1/set", {"model.d_fff=1"}, "/variants/1: ");
  begins_at("/variants/1/name", "plain", "/variants/1/name: two variants are called \"plain\"");
  begins_at("/seeds", nlohmann::json::array(), "/seeds: is empty");
  begins_at("/task", {{"kind", "copies"}}, "/task/kind: \"copies\" is not among its values");
  begins_at("/task", {{"kind", "sort"}, {"symbols", 99}}, "/task/symbols: 99 is outside 2 to 26");
  begins_at("/variants/1/task", {{"kind", "sort"}, {"keys", 0}},
            "/variants/1/task/keys: 0 is outside");
  begins_at("/measure", {"answers"},
            "/measure: \"answers\" are defined for tasks only; add a /task");
}

TEST_CASE("values of another type are refused with the type that they should have", "[unit]") {
  CHECK_THAT(refusal_with("/expected_minutes", "ten"),
             test::contains("/expected_minutes: \"ten\" is not a number"));
  CHECK_THAT(refusal_with("/seeds", {1.5}), test::contains("/seeds/0: 1.5 is not a whole number"));
  CHECK_THAT(refusal_with("/variants", 3), test::contains("/variants: 3 is not a list"));
  CHECK_THAT(refusal_with("/variants/0", "plain"),
             test::contains("/variants/0: \"plain\" is not an object"));
  CHECK_THAT(refusal_with("/task", {{"any_length", 1}}),
             test::contains("/task/any_length: 1 is not true or false"));
  CHECK_THAT(refusal_with("/claims/0/says", nullptr),
             test::contains("/claims/0/says: null is not text"));
}

TEST_CASE("what would mean nothing in a definition is refused", "[unit]") {
  CHECK_THAT(refusal_with("/seeds", {1, 2, 1}), test::contains("/seeds: 1 is listed twice"));
  CHECK_THAT(refusal_with("/variants/1/seeds", {3, 3}),
             test::contains("/variants/1/seeds: 3 is listed twice"));
  CHECK_THAT(refusal_with("/train_pairs", -1), test::contains("/train_pairs: -1 is below 0"));
  const nlohmann::json figure = {{"kind", "curves"}, {"title", "Loss"}, {"of", "training"}};
  CHECK_THAT(refusal_with("/figures", nlohmann::json::array({figure})),
             test::contains("/figures/0/of: \"training\" is neither \"train\" nor \"valid\""));
  CHECK_THAT(refusal_with("/claims/0/compare/0/than", "wide"),
             test::contains("/claims/0/compare/0/than: a variant is compared with itself"));
  CHECK_THAT(refusal_with("/claims/0/compare/0/expect", "similar"),
             test::contains("/claims/0/margin: is 0"));
  CHECK_THAT(refusal_with("/claims/0/margin", -0.5),
             test::contains("/claims/0/margin: is below 0"));
  CHECK_THAT(refusal_with("/claims/0/compare/0/value", 20),
             test::contains("/claims/0/compare/0: compares with a variant or with a number"));
  CHECK_THAT(refusal({{{"op", "remove"}, {"path", "/claims/0/compare/0/than"}}}),
             test::contains("give either \"than\" or \"value\""));
  CHECK_THAT(refusal_with("/set", {"train.max_steps=3", "seed=2"}),
             test::contains("/set/1: seed is set by the experiment"));
  CHECK_THAT(refusal_with("/variants/1/set", {"data={\"train_source\": [\"a.txt\"]}"}),
             test::contains("/variants/1/set/0: data.train_source is set by the experiment"));
  CHECK_THAT(refusal_with("/variants/1/set", {"data.train_source=a.txt"}),
             test::contains("/variants/1/set/0: data.train_source is set by the experiment"));
}

TEST_CASE("a training before a variant's own needs other text and the same model", "[unit]") {
  const auto refused = [](const nlohmann::json& settings, const char* path,
                          const nlohmann::json& value, const char* message) {
    CHECK_THAT(refusal({{{"op", "add"}, {"path", "/variants/1/pretrain"}, {"value", settings}},
                        {{"op", "add"}, {"path", path}, {"value", value}}}),
               test::contains(message));
  };
  const nlohmann::json longer = {"train.max_steps=9"};
  refused(longer, "/train_pairs", 0, "/variants/1/pretrain: reads the text after the first pairs");
  refused(longer, "/train_pairs", 50, "accepted");
  CHECK_THAT(refusal({{{"op", "add"}, {"path", "/variants/1/pretrain"}, {"value", longer}},
                      {{"op", "add"}, {"path", "/train_pairs"}, {"value", 50}},
                      {{"op", "add"}, {"path", "/measure"}, {"value", {"gradients"}}}}),
             test::contains("/variants/1/pretrain: is not the random beginning"));
  refused({"seed=2"}, "/train_pairs", 50, "/variants/1/pretrain/0: seed is set by the experiment");
  refused({"model.d_ff=32"}, "/train_pairs", 50,
          "/variants/1: pretrain of \"wide\" changes the model or the pieces");
  CHECK_THAT(refusal({{{"op", "add"}, {"path", "/variants/1/pretrain"}, {"value", longer}},
                      {{"op", "add"}, {"path", "/train_pairs"}, {"value", 50}},
                      {{"op", "add"}, {"path", "/task"}, {"value", {{"kind", "copy"}}}}}),
             test::contains("/variants/1/pretrain: is defined for your own text only"));
  CHECK_THAT(
      refusal({{{"op", "add"}, {"path", "/variants/1/pretrain"}, {"value", longer}},
               {{"op", "add"}, {"path", "/train_pairs"}, {"value", 50}},
               {{"op", "add"},
                {"path", "/set"},
                {"value", {"tokenizer.joint=false", "model.share_embeddings=target_output"}}}}),
      test::contains("/variants/1: pretrain of \"wide\" needs pieces of both languages"));
}

TEST_CASE("options that an experiment sets itself are refused on the command line", "[unit]") {
  const SmallDefinition definition;
  const auto experiment = definition.read();
  const auto with = [&](const std::string& setting) {
    return trial_options(experiment, experiment.variants[0], 1, {setting});
  };
  CHECK_THROWS_WITH(with("seed=2"), test::contains("--set: seed is set by the experiment"));
  CHECK_THROWS_WITH(with("data.valid_target=x"),
                    test::contains("data.valid_target is set by the experiment"));
  CHECK(with("train.max_steps=7").seed == 1);
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
  const auto of_first = trial_name(experiment, plain, options);
  CHECK(of_first != name);
  auto prepared = plain;
  prepared.pretrain = {"train.max_steps=9"};
  const auto before = pretraining_options(experiment, prepared, 1);
  CHECK(before.train.max_steps == 9);
  const auto begins_with = pretraining_name(experiment, before);
  CHECK(begins_with != trial_name(experiment, plain, before));  // another text
  const auto after = trial_name(experiment, prepared, options, begins_with);
  CHECK(after != of_first);
  // What is set for all trainings may change the first one alone.
  const auto shorter = pretraining_options(experiment, prepared, 1, {"train.max_steps=7"});
  CHECK(trial_name(experiment, prepared, options, pretraining_name(experiment, shorter)) != after);
  CHECK_THROWS_WITH(
      pretraining_options(experiment, prepared, 1,
                          {"tokenizer.joint=false", "model.share_embeddings=target_output"}),
      test::contains("set tokenizer.joint=true"));
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
  REQUIRE(::mkfifo((empty / "pipe.json").c_str(), 0600) == 0);  // is no definition, and no wait
  CHECK_THROWS_WITH(read_experiments(empty.path(), {"all"}), test::contains("no experiments"));
}

}  // namespace definition_test
