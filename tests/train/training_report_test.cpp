#include "dragoman/train/training_report.h"

#include "support/catch.h"
#include "support/event_file.h"
#include "support/temporary_directory.h"
#include "train/toy_training.h"

#include <sstream>

namespace training_report_test {

using namespace dragoman;

namespace {

using Steps = std::vector<std::uint64_t>;

RunOptions options_with_board() {
  RunOptions options;
  options.train.log_every = 2;
  options.train.tensorboard = true;
  return options;
}

/// Trains from `state.step` to `last`, with a validation after each fourth update.
void train_until(TrainingReport& report, TrainingState& state, std::int64_t last) {
  report.start({.parameters = 10, .examples = 5, .updates_per_epoch = 4, .device = "cpu"});
  while (state.step < last) {
    ++state.step;
    state.window.loss.tokens += 300;
    state.window.seconds += 2.0;
    state.target_tokens += 300;
    report.updated({.epoch = 1, .learning_rate = 0.1, .gradient_norm = 1.0, .seconds = 2.0});
    if (state.step % 2 == 0) state.window = {};
    if (state.step % 4 != 0) continue;
    const ValidationResult result{.values = {{"loss", 2.0}, {"bleu", 10.0}},
                                  .samples = {{"a|b", "A", "AB"}}};
    note_validation(state, validation_record(state.step, result.values, /*is_due=*/true),
                    ValidationMetric::loss);
    report.validated(result, 1.0);
  }
}

}  // namespace

TEST_CASE("training and validation are two runs of TensorBoard with the same tags", "[unit]") {
  const test::TemporaryDirectory folder;
  TrainingState state;
  {
    TrainingReport report(folder.path(), options_with_board(), state, true);
    train_until(report, state, 8);
    report.ended({.reason = "train.max_steps 8 reached"}, {});
  }
  const auto train = test::steps_by_tag(folder / "tensorboard" / "train");
  const auto validation = test::steps_by_tag(folder / "tensorboard" / "validation");
  CHECK(train.at("loss") == Steps{2, 4, 6, 8});
  CHECK(validation.at("loss") == Steps{4, 8});
  CHECK(validation.at("bleu") == Steps{4, 8});
  CHECK(validation.at("samples") == Steps{4, 8});
  CHECK(train.at("configuration") == Steps{0});
  for (const char* tag :
       {"perplexity", "accuracy", "learning_rate", "gradient_norm", "tokens_per_second"})
    CHECK(train.count(tag) == 1);
}

TEST_CASE("no chart has what is told once, at the start or at the end", "[unit]") {
  const test::TemporaryDirectory folder;
  TrainingState state;
  {
    TrainingReport report(folder.path(), options_with_board(), state, true);
    train_until(report, state, 8);
    report.ended({.reason = "train.max_steps 8 reached"}, {});
  }
  for (const char* run : {"train", "validation"})
    for (const auto& [tag, steps] : test::steps_by_tag(folder / "tensorboard" / run)) {
      CAPTURE(run, tag);
      CHECK((tag == "configuration" || steps.size() > 1));
    }
}

TEST_CASE("without validation text there is no run of validations", "[unit]") {
  const test::TemporaryDirectory folder;
  const TrainingState state;
  const TrainingReport report(folder.path(), options_with_board(), state, false);
  CHECK(std::filesystem::exists(folder / "tensorboard" / "train"));
  CHECK_FALSE(std::filesystem::exists(folder / "tensorboard" / "validation"));
}

TEST_CASE("a resumed training says from which step on TensorBoard's points are new", "[unit]") {
  const test::TemporaryDirectory folder;
  TrainingState state;
  state.step = 300;
  bool has_validated = false;
  SECTION("after the validation of its step") { has_validated = true; }
  SECTION("before the validation of its step") {}
  if (has_validated)
    note_validation(state, validation_record(300, {{"loss", 2.0}}, /*is_due=*/true),
                    ValidationMetric::loss);
  const TrainingReport report(folder.path(), options_with_board(), state, true);
  const auto first_step = [&](const char* run) {
    const auto file = *std::filesystem::directory_iterator(folder / "tensorboard" / run);
    return test::events_of(file).at(1).number(2);
  };
  CHECK(first_step("train") == 301);
  CHECK(first_step("validation") == (has_validated ? 301 : 300));
}

TEST_CASE("a window's speed counts the seconds that it had before a resume", "[unit]") {
  const test::TemporaryDirectory folder;
  TrainingState state;
  {
    TrainingReport report(folder.path(), options_with_board(), state, false);
    train_until(report, state, 3);
  }
  auto resumed = training_state_from(to_json(state), "state.json");
  CHECK(resumed.window.seconds == 2.0);
  TrainingReport report(folder.path(), options_with_board(), resumed, false);
  train_until(report, resumed, 4);
  const auto records = test::records_of(folder.path(), "train");
  REQUIRE(records.size() == 2);
  CHECK(records[0].at("target_tokens_per_second") == 150.0);
  CHECK(records[1].at("target_tokens_per_second") == 150.0);
}

TEST_CASE("a window of a version that kept no seconds has its share of all of them", "[unit]") {
  TrainingState state;
  state.seconds = 100.0;
  state.target_tokens = 15000;
  state.window.loss.tokens = 300;
  auto json = to_json(state);
  json["window"].erase("seconds");
  CHECK(training_state_from(json, "state.json").window.seconds == test::Approx(2.0));
}

TEST_CASE("the end is recorded with its reason", "[unit]") {
  const test::TemporaryDirectory folder;
  TrainingState state;
  TrainingReport report(folder.path(), options_with_board(), state, false);
  report.start({});
  report.ended({.reason = "stopped by Ctrl-C", .signal = 2},
               {.seconds = 3.0, .own_seconds = 3.0, .waiting = 1.0});
  const auto records = test::records_of(folder.path(), "stopped");
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("reason") == "stopped by Ctrl-C");
  CHECK(records[0].at("data_seconds") == 1.0);
}

}  // namespace training_report_test
