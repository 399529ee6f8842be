#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/shared.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace results_test {

namespace {

struct Row {
  std::filesystem::path texts = test::source_folder() / "data/demo";
  std::string seeds = "1";
  std::string outputs = {};
  std::string teacher = {}, interpolate = {};
};

/// Two updates of a small model, in `runs`.
test::ProcessResult trained(const Row& row, const std::filesystem::path& runs) {
  const auto text = [&](const char* name) { return (row.texts / name).string(); };
  return test::run(
      {(test::source_folder() / "configs/results/result.sh").string(), "demo", "en", "de",
       text("train"), text("valid"), text("test"), "2", "--metrics", "bleu,chrf"},
      {.variables = {{"DRAGOMAN", test::program()},
                     {"RUNS", runs.string()},
                     {"SEEDS", row.seeds},
                     {"OUTPUTS", row.outputs},
                     {"TEACHER", row.teacher},
                     {"INTERPOLATE", row.interpolate},
                     {"RESULT_SETTINGS",
                      "train.max_steps=2 train.checkpoint_every=1 model.d_model=16 model.d_ff=32 "
                      "model.num_heads=2 model.encoder_layers=1 model.decoder_layers=1 "
                      "search.max_length=8 train.validate_translations=false "
                      "tokenizer.hard_vocab_limit=false"}}});
}

}  // namespace

TEST_CASE("a row of the results is trained with each seed, scored, kept and analysed", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = test::source_folder();
  const auto first = trained({.seeds = "1 2"}, folder.path());
  CAPTURE(first.out, first.err);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.out, test::contains("BLEU: "));
  CHECK_THAT(first.out, test::contains("; mean of 2 seeds "));
  for (const char* seed : {"seed-1", "seed-2"})
    for (const char* file : {"config.json", "train.jsonl", "scores.json", "test.de.sha256"}) {
      CAPTURE(seed, file);
      CHECK(std::filesystem::exists(folder / "results/demo" / seed / file));
    }
  CHECK_THAT(test::content_of(folder / "results/demo/seed-1/scores.json"),
             test::contains("\"confidence\""));
  CHECK_THAT(test::content_of(folder / "results/demo/seed-1/config.json"),
             test::contains("\"train.en.gz\"") && !test::contains(source.string()));
  CHECK_FALSE(std::filesystem::exists(folder / "results/demo/seed-1/test.de.gz"));

  const auto second = trained({.outputs = "text"}, folder.path());
  CAPTURE(second.out, second.err);
  REQUIRE(second.exit_code == 0);
  CHECK_THAT(second.err, test::contains("resuming at step 2"));
  CHECK(std::filesystem::exists(folder / "results/demo/seed-1/test.de.gz"));

  const auto analysis =
      test::run({(source / "configs/results/analysis.sh").string(), (folder / "demo-1").string(),
                 (source / "data/demo/valid").string(), (folder / "analysis").string()},
                {.variables = {{"DRAGOMAN", test::program()}}});
  CAPTURE(analysis.out, analysis.err);
  REQUIRE(analysis.exit_code == 0);
  const auto found = [&](const char* file) { return test::content_of(folder / "analysis" / file); };
  CHECK_THAT(found("heads.txt"),
             test::contains("cross 1.2") && test::contains("not testable with one layer"));
  for (const char* sentence : {"The animal didn't cross the street because it was too tired.",
                               "The animal didn't cross the street because it was too wide.",
                               "The cat ate the fish because it was hungry.",
                               "The keys, which were on the table near the door, are missing.",
                               "Vatsal studies at the university because he likes it."})
    CHECK_THAT(found("sentences.txt"), test::contains(sentence));
  CHECK_THAT(found("explanation.txt"), test::contains("of 500 sentences"));
  const auto aligned = found("alignment.txt");
  CHECK_THAT(aligned, test::contains("layer 1, head "));
  CHECK(std::count(aligned.begin(), aligned.end(), '\n') == 5 + 20 * 4);
}

TEST_CASE("the translations that are kept have the scores that are kept", "[e2e]") {
  if (!test::have_corpus("tatoeba-en-de/test_dev.de.gz")) return;
  const auto results = test::source_folder() / "configs/results";
  int compared = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(results)) {
    if (file.path().filename() != "test.de.gz") continue;
    const auto seed = file.path().parent_path();
    CAPTURE(seed.string());
    REQUIRE(seed.parent_path().filename().string().starts_with("tatoeba_en_de"));
    const auto reference = test::corpora_folder() / "tatoeba-en-de/test_dev.de.gz";
    const auto scored =
        test::dragoman({"evaluate", "--hypothesis", file.path().string(), "--reference",
                        reference.string(), "--metrics", "bleu,chrf", "--json"});
    CAPTURE(scored.err);
    REQUIRE(scored.exit_code == 0);
    const auto found = nlohmann::json::parse(scored.out),
               kept = test::read_json(seed / "scores.json");
    for (const char* metric : {"bleu", "chrf"})
      CHECK(found.at(metric).at("score").get<double>() ==
            test::Approx(kept.at(metric).at("score").get<double>()).epsilon(1e-12));
    ++compared;
  }
  CHECK(compared >= 3);
}

TEST_CASE("the scores that are kept are those that sacreBLEU gives the kept translations",
          "[golden]") {
  int compared = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(test::source_folder() / "configs/results")) {
    if (file.path().filename() != "sacrebleu.json") continue;
    CAPTURE(file.path().string());
    const auto own = test::read_json(file.path().parent_path() / "scores.json");
    const auto theirs = test::read_json(file.path());
    REQUIRE(theirs.size() == own.size());
    for (const auto& score : theirs) {
      const auto same = std::ranges::find_if(
          own, [&](const nlohmann::json& metric) { return metric.at("name") == score.at("name"); });
      REQUIRE(same != own.end());
      CHECK(same->at("signature") == score.at("signature"));
      for (const char* number : {"score", "confidence_mean", "confidence_var"})
        CHECK(same->at(number).get<double>() ==
              test::Approx(score.at(number).get<double>()).epsilon(1e-12));
    }
    ++compared;
  }
  CHECK(compared >= 3);
}

TEST_CASE("a row of the results is trained on a teacher's translations", "[e2e]") {
  const test::TemporaryDirectory folder;
  for (const std::string name : {"train", "valid", "test"})
    for (const std::string side : {".en", ".de"}) {
      const auto file = (folder / (name + side)).string();
      std::ofstream(file) << test::joined(test::learned_lines(60));
      REQUIRE(test::run({"gzip", file}).exit_code == 0);
    }
  const auto row =
      trained({.texts = folder.path(), .teacher = test::capitals_run().string()}, folder / "runs");
  CAPTURE(row.out, row.err);
  REQUIRE(row.exit_code == 0);
  CHECK_THAT(row.out, test::contains("BLEU: "));
  const auto taught = test::content_of(folder / "runs/demo-distilled-1/synthetic/translations.txt");
  CHECK(taught.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos);
  const auto kept = folder / "runs/results/demo-distilled/seed-1";
  CHECK(std::filesystem::exists(kept / "scores.json"));
  const auto options = test::content_of(kept / "config.json");
  CHECK_THAT(options, test::contains("\"translations.txt\""));
  CHECK(options.find(folder.path().string()) == std::string::npos);

  const auto interpolated = trained(
      {.texts = folder.path(), .teacher = test::capitals_run().string(), .interpolate = "bleu"},
      folder / "runs");
  CAPTURE(interpolated.out, interpolated.err);
  REQUIRE(interpolated.exit_code == 0);
  const auto facts =
      test::read_json(folder / "runs/demo-interpolated-1/synthetic/facts.json").at("origin");
  CHECK(facts.at("interpolate") == "bleu");
  CHECK(facts.at("search").at("n_best") == 8);
}

}  // namespace results_test
