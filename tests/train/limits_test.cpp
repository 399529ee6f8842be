#include "dragoman/train/limits.h"

#include "dragoman/core/concat.h"
#include "support/catch.h"

#include <csignal>

namespace limits_test {

using namespace dragoman;

TEST_CASE("the limit that was reached is named with its option", "[unit]") {
  TrainOptions options;
  options.max_steps = 100;
  options.max_epochs = 3;
  options.max_seconds = 60.0;
  options.patience = 2;
  TrainingState state;
  CHECK_FALSE(reached_limit(options, state, 59.0));
  CHECK(reached_limit(options, state, 60.0)->option == "train.max_seconds");
  state.validations_without_gain = 2;
  CHECK(reached_limit(options, state, 0.0)->option == "train.patience");
  state.position.epoch = 3;
  CHECK(reached_limit(options, state, 0.0)->option == "train.max_epochs");
  CHECK(reached_limit(options, state, 0.0)->spent == 3.0);
  state.step = 100;
  const auto end = *reached_limit(options, state, 0.0);
  CHECK(end.option == "train.max_steps");
  CHECK(end.reason == "train.max_steps 100 reached");
  CHECK(end.signal == 0);
  state.step = 120;  // the limit was lowered since
  CHECK(reached_limit(options, state, 0.0)->spent == 120.0);
}

TEST_CASE("a signal is told by its key", "[unit]") {
  CHECK(stopped_by(SIGINT).reason == "stopped by Ctrl-C");
  CHECK(stopped_by(SIGTERM).reason == "stopped by SIGTERM");
  CHECK(stopped_by(SIGUSR1).reason == "stopped by SIGUSR1");
  CHECK(stopped_by(SIGQUIT).reason == concat("stopped by signal ", SIGQUIT));
  CHECK(stopped_by(SIGTERM).signal == SIGTERM);
}

TEST_CASE("the nearest limit says how much is left", "[unit]") {
  TrainOptions options;
  options.max_steps = 1000;
  TrainingState state;
  state.step = 400;
  state.position = {.epoch = 2, .updates = 50};
  CHECK(updates_left(options, state, 175) == 600);
  CHECK(seconds_left(options, state, 100.0, 0.5, 175) == 300.0);
  options.max_epochs = 4;
  CHECK(updates_left(options, state, 175) == 300);
  options.max_seconds = 120.0;
  CHECK(seconds_left(options, state, 100.0, 0.5, 175) == 20.0);
}

TEST_CASE("all limits of a training are told at its start", "[unit]") {
  TrainOptions options;
  options.max_steps = 6000;
  CHECK(limits_text(options, {}, 227, true) == "6,000 updates (26.4 epochs of 227 updates)");
  TrainingState resumed;  // whose first epoch had fewer updates
  resumed.step = 150, resumed.position.epoch = 1, resumed.position.updates = 50;
  CHECK(limits_text(options, resumed, 1000, true) == "6,000 updates (6.9 epochs of 1,000 updates)");
  CHECK(limits_text(options, {}, 75000, true) == "6,000 updates (an epoch has 75,000 updates)");
  options.max_seconds = 3600.0;
  CHECK(limits_text(options, {}, 227, true) ==
        "6,000 updates (26.4 epochs of 227 updates) or 1 h 0 min");
  options.max_epochs = 10;
  options.patience = 5;
  CHECK(limits_text(options, {}, 227, true) ==
        "6,000 updates (26.4 epochs of 227 updates), 10 epochs (2,270 updates), 1 h 0 min or 5 "
        "validations "
        "without improvement of loss");
  CHECK_THAT(limits_text(options, {}, 227, false), !test::contains("validations"));
  options.max_steps = options.max_epochs = options.patience = 1;
  CHECK(limits_text(options, {}, 1, true) ==
        "1 update (1.0 epochs of 1 update), 1 epoch (1 update), 1 h 0 min or 1 validation without "
        "improvement of loss");
}

}  // namespace limits_test
