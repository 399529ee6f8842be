#include "support/catch.h"
#include "support/program.h"

#include <algorithm>
#include <filesystem>

namespace average_test {

namespace {

using test::dragoman;

/// A run with checkpoints of steps 0, 1, 2, 3 and 4.
struct Run {
  test::TemporaryDirectory folder;
  std::string run_dir = (folder / "run").string();
  std::string averaged = (folder / "averaged").string();

  Run() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    const auto training =
        test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(), run_dir);
    REQUIRE(dragoman(test::with(training, {"train.checkpoint_every=1"})).exit_code == 0);
  }
};

}  // namespace

TEST_CASE("average makes a run that translates, of the newest checkpoints", "[e2e]") {
  const Run run;
  const auto result = dragoman({"average", "-m", run.run_dir, "-o", run.averaged, "--last", "2"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out == run.averaged + "/checkpoints/step-00000004\n");
  CHECK(test::contains("step-00000004").match(result.err));
  CHECK(test::contains("step-00000003").match(result.err));
  CHECK_FALSE(test::contains("step-00000002").match(result.err));
  const auto translated = dragoman({"translate", "-m", run.averaged},
                                   {.text = "a b c\n", .directory = {}, .variables = {}});
  CHECK(translated.exit_code == 0);
  CHECK(std::count(translated.out.begin(), translated.out.end(), '\n') == 1);
}

TEST_CASE("the average of one checkpoint is that checkpoint", "[e2e]") {
  const Run run;
  REQUIRE(
      dragoman({"average", "-m", run.run_dir, "-o", run.averaged, "--checkpoints", "step-00000003"})
          .exit_code == 0);
  const auto scores = [&](const std::vector<std::string>& model) {
    return dragoman(test::with({"score", "--source", (run.folder / "a.src").string(), "--target",
                                (run.folder / "a.tgt").string()},
                               model))
        .out;
  };
  const auto averaged = scores({"-m", run.averaged});
  CHECK_FALSE(averaged.empty());
  CHECK(averaged == scores({"-m", run.run_dir, "--checkpoint", "step-00000003"}));
  CHECK(averaged != scores({"-m", run.run_dir, "--checkpoint", "step-00000004"}));
}

TEST_CASE("average takes one checkpoint of each of several runs, of one form", "[e2e]") {
  const Run run;
  const auto fine_tuned = (run.folder / "tuned").string(), other = (run.folder / "other").string();
  REQUIRE(dragoman({"train", "--start-from", run.run_dir, "-o", fine_tuned, "--set",
                    "train.max_steps=2", "model.dropout=0.3"})
              .exit_code == 0);
  const auto average = [&](const std::vector<std::string>& more) {
    return dragoman(
        test::with({"average", "-m", run.run_dir, "-m", fine_tuned, "-o", run.averaged}, more));
  };
  CHECK_THAT(average({"--last", "2"}).err, test::contains("--last: is for a single run"));
  CHECK_THAT(average({"--checkpoints", "latest", "step-00000001"}).err,
             test::contains("each of several runs contributes one"));
  const auto result = average({"--checkpoints", "latest"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.err, test::contains(run.run_dir + "/checkpoints/step-00000004"));
  CHECK_THAT(result.err, test::contains(fine_tuned + "/checkpoints/step-00000002"));
  REQUIRE(dragoman({"convert", "--to", "ctranslate2", run.averaged, "-o", other}).exit_code == 0);
  const auto again = (run.folder / "again").string();
  REQUIRE(dragoman({"convert", "--from", "ctranslate2", other, "-o", again, "--set",
                    "model.layer_norm_eps=1e-4"})
              .exit_code == 0);
  std::filesystem::remove_all(run.averaged);
  const auto refused = dragoman({"average", "-m", run.run_dir, "-m", again, "-o", run.averaged});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("model.layer_norm_eps is 0.0001, but 1e-05"));
}

TEST_CASE("average refuses a folder in use and a checkpoint that is not there", "[e2e]") {
  const Run run;
  const auto in_place = dragoman({"average", "-m", run.run_dir, "-o", run.run_dir});
  CHECK(in_place.exit_code == 1);
  CHECK(test::contains(run.run_dir).match(in_place.err));
  CHECK_FALSE(test::contains("step-0000").match(in_place.err));  // nothing is announced
  const auto newest = run.run_dir + "/checkpoints/step-00000004";
  const auto alone = dragoman({"average", "-m", newest, "-o", run.averaged});
  CHECK(alone.exit_code == 1);
  CHECK(test::contains("is one checkpoint, of which there is no average").match(alone.err));
  const auto missing = dragoman(
      {"average", "-m", run.run_dir, "-o", run.averaged, "--checkpoints", "step-00000009"});
  CHECK(missing.exit_code == 1);
  CHECK(test::contains("step-00000009").match(missing.err));
  CHECK_FALSE(std::filesystem::exists(run.averaged));
}

}  // namespace average_test
