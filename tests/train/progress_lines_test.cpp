#include "dragoman/train/progress_lines.h"

#include "dragoman/core/display_width.h"
#include "support/catch.h"

#include <cmath>

namespace progress_lines_test {

using namespace dragoman;

namespace {

/// After 320 of 6,000 updates; the window has 33,000 tokens in 10 s.
TrainingState at_step_320() {
  TrainingState state;
  state.step = 320;
  state.window = {.loss = {.loss = 4.2121 * 33000,
                           .nll = std::log(33.21) * 33000,
                           .correct = 11000,
                           .tokens = 33000},
                  .source_tokens = 30000,
                  .padding = 7000,
                  .updates = 20,
                  .seconds = 10.0};
  return state;
}

const UpdateStatus status{
    .epoch = 1, .learning_rate = 0.000312, .gradient_norm = 0.91, .seconds = 160.0};
const Remaining remaining{.updates = 5680, .seconds = 160.0};

std::string live(const TrainOptions& options, const TrainingState& state,
                 const MetricValues& validation) {
  return fields_in_width(
      live_fields(options, state, status, means_of(state.window), remaining, validation), 200);
}

}  // namespace

TEST_CASE("the live line tells where the training is, how fast, how long, and how good", "[unit]") {
  const TrainOptions options;
  const auto state = at_step_320();
  CHECK(live(options, state, {{"bleu", 12.3}, {"loss", 3.9}}) ==
        "ep 1  320/6000 5 %  loss 4.21  3.3k tok/s  2m40 left  bleu 12.3");
  CHECK(live(options, state, {}) == "ep 1  320/6000 5 %  loss 4.21  3.3k tok/s  2m40 left");
  CHECK(
      live(options, state, {{"loss", 3.9}, {"accuracy", 0.4}}).ends_with("left  valid loss 3.900"));
}

TEST_CASE("where time ends the training the live line's share is that of the time", "[unit]") {
  TrainOptions options;
  options.max_seconds = 320.0;
  CHECK(live(options, at_step_320(), {}) ==
        "ep 1  step 320  50 % of 5m20  loss 4.21  3.3k tok/s  2m40 left");
}

TEST_CASE("a record fits a terminal of 80 columns but for its last fields", "[unit]") {
  const auto fields = record_fields(at_step_320(), status, remaining);
  CHECK(fields_in_width(fields, 60) ==
        "ep 1  step 320  loss 4.212  ppl 33.2  3.3k tok/s  2m40 left");
  CHECK(fields_in_width(fields, 200) ==
        "ep 1  step 320  loss 4.212  ppl 33.2  3.3k tok/s  2m40 left  lr 3.1e-04  norm 0.91");
}

TEST_CASE("a loss with a divergence of two passes is told with its parts", "[unit]") {
  auto state = at_step_320();
  state.window.loss.consistency = 0.7 * 33000;
  CHECK(record_fields(state, status, remaining)[2] == "loss 4.212 = 3.512 + 0.700 consistency");
  const auto record = window_record(state, status);
  CHECK(record.at("loss").get<double>() == test::Approx(4.2121));
  CHECK(record.at("smoothed_loss").get<double>() == test::Approx(3.5121));
  CHECK(record.at("consistency").get<double>() == test::Approx(0.7));
  CHECK_FALSE(window_record(at_step_320(), status).contains("consistency"));
}

TEST_CASE("what is not known yet is left out", "[unit]") {
  for (const auto& field : record_fields(at_step_320(), status, {.updates = 5680}))
    CHECK(field.find("left") == std::string::npos);
}

TEST_CASE("a validation is the best, or says how long there was no improvement", "[unit]") {
  TrainOptions options;
  auto state = at_step_320();
  note_validation(state, {{"loss", 3.881}, {"nll", 3.5}, {"bleu", 12.0}},
                  options.early_stopping_metric);
  CHECK(verdict_text(state, options) == "best so far");
  state.step = 360;
  note_validation(state, {{"loss", 3.9}, {"nll", 3.5}, {"bleu", 12.3}},
                  options.early_stopping_metric);
  CHECK(verdict_text(state, options) ==
        "best bleu so far; loss: 1 without improvement, best loss 3.881 at step 320");
  options.patience = 5;
  state.step = 400;
  note_validation(state, {{"loss", 3.9}, {"nll", 3.5}, {"bleu", 12.1}},
                  options.early_stopping_metric);
  CHECK(verdict_text(state, options) ==
        "loss: 2 of 5 without improvement, best loss 3.881 at step 320");
  state.step = 440;
  note_validation(state, {{"loss", 3.8}, {"nll", 3.5}, {"bleu", 12.1}},
                  options.early_stopping_metric);
  CHECK(verdict_text(state, options) == "best loss so far");
  state.step = 451;  // the end of the training, where none is due: it does not count
  CHECK(verdict_text(state, options) == "no improvement");
  CHECK(best_text(state) == "loss 3.800 at step 440; bleu 12.30 at step 360");
}

TEST_CASE("another metric of early stopping counts its own validations", "[unit]") {
  TrainingState state;
  const auto validate = [&](std::int64_t step, double loss, double bleu) {
    state.step = step;
    note_validation(state, {{"step", step}, {"loss", loss}, {"bleu", bleu}},
                    ValidationMetric::loss);
  };
  validate(10, 4.0, 1.0);
  validate(20, 3.0, 3.0);
  validate(30, 3.5, 2.0);
  validate(40, 2.5, 2.5);
  CHECK(state.validations_without_gain == 0);
  count_validations_without_gain(state, ValidationMetric::bleu);
  CHECK(state.validations_without_gain == 2);
  count_validations_without_gain(state, ValidationMetric::loss);
  CHECK(state.validations_without_gain == 0);
  count_validations_without_gain(state, ValidationMetric::chrf);
  CHECK(state.validations_without_gain == 0);  // it was never measured
  note_validation(state, {{"step", 50}, {"loss", 3.0}}, ValidationMetric::chrf);
  CHECK(state.validations_without_gain == 0);
}

TEST_CASE("patience does not count a validation where a training ended", "[unit]") {
  TrainingState state;
  const auto validate = [&](std::int64_t step, double loss, bool is_due) {
    state.step = step;
    note_validation(state, validation_record(step, {{"loss", loss}}, is_due),
                    ValidationMetric::loss);
  };
  validate(20, 4.0, true);
  validate(30, 4.1, false);
  CHECK(state.validations_without_gain == 0);
  validate(40, 4.2, true);
  CHECK(state.validations_without_gain == 1);
  count_validations_without_gain(state, ValidationMetric::loss);
  CHECK(state.validations_without_gain == 1);
  validate(45, 3.9, false);
  CHECK(state.best.at("loss").step == 45);
  CHECK(state.validations_without_gain == 0);
}

TEST_CASE("metrics are told in one order, and the unsmoothed loss by its perplexity", "[unit]") {
  CHECK(metrics_text({{"accuracy", 0.4123},
                      {"bleu", 12.3},
                      {"chrf", 35.1},
                      {"loss", 3.912},
                      {"nll", 3.44},
                      {"perplexity", 31.19}}) ==
        "loss 3.912  ppl 31.2  accuracy 41.2 %  bleu 12.30  chrf 35.10");
  CHECK(best_text(TrainingState{}).empty());
}

TEST_CASE("a sample's lines are cut to the columns", "[unit]") {
  const auto lines = sample_lines({"日本語の長い文章", "a translation", "x"}, 20);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "source       日本語…");
  CHECK(lines[1] == "translation  a tran…");
  CHECK(lines[2] == "reference    x");
}

}  // namespace progress_lines_test
