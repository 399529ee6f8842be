#include "dragoman/planning/budget.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/train/memory_estimate.h"

#include "support/catch.h"

#include <algorithm>

namespace budget_test {

using namespace dragoman;

namespace {

const TrainingEstimate hour_an_epoch{.updates_per_epoch = 1000.0,
                                     .seconds_per_epoch = 3600.0,
                                     .seconds_per_validation = 300.0,
                                     .seconds_per_save = 60.0};

}  // namespace

TEST_CASE("the budget is that of the first limit that is reached", "[unit]") {
  TrainOptions options;
  options.max_steps = 5000;
  auto budget = budget_of(options, hour_an_epoch, false);
  CHECK(budget.limit == "train.max_steps");
  CHECK(budget.epochs == test::Approx(5.0));
  CHECK(budget.seconds == test::Approx(5 * 3660.0));
  options.max_epochs = 2;
  budget = budget_of(options, hour_an_epoch, false);
  CHECK(budget.limit == "train.max_epochs");
  CHECK(budget.updates == test::Approx(2000.0));
  options.max_seconds = 3660.0;
  budget = budget_of(options, hour_an_epoch, false);
  CHECK(budget.limit == "train.max_seconds");
  CHECK(budget.updates == test::Approx(1000.0));
}

TEST_CASE("a training that resumes has the rest of its budget left", "[unit]") {
  TrainOptions options;
  options.max_steps = 5000;
  const auto left = [&](const TrainingDone& done) {
    return budget_of(options, hour_an_epoch, false, done).updates;
  };
  CHECK(left({.updates = 1200.0, .epochs = 1.2, .seconds = 4000.0}) == test::Approx(3800.0));
  options.max_epochs = 2;
  CHECK(left({.updates = 1200.0, .epochs = 1.2, .seconds = 4000.0}) == test::Approx(800.0));
  options.max_seconds = 4000.0 + 3660.0 / 2.0;
  CHECK(left({.updates = 1200.0, .epochs = 1.2, .seconds = 4000.0}) == test::Approx(500.0));
  CHECK(left({.updates = 5001.0, .epochs = 1.2, .seconds = 9000.0}) == 0.0);
}

TEST_CASE("validations and saves are part of the budget", "[unit]") {
  TrainOptions options;
  options.max_steps = 1000;
  options.validate_every = options.checkpoint_every = 500;
  // A save after each validation: two of both.
  CHECK(budget_of(options, hour_an_epoch, true).seconds == test::Approx(3600.0 + 2 * 360.0));
  options.checkpoint_every = 100;  // those of the validations are among them
  CHECK(budget_of(options, hour_an_epoch, true).seconds ==
        test::Approx(3600.0 + 2 * 300.0 + 10 * 60.0));
  options.checkpoint_every = 200;
  CHECK(budget_of(options, hour_an_epoch, true).seconds ==
        test::Approx(3600.0 + 2 * 300.0 + 6 * 60.0));
}

TEST_CASE("a model beyond all memory is warned of", "[unit]") {
  RunOptions options;
  options.train.device = "cpu";
  constexpr std::int64_t gibibyte = 1 << 30;
  CHECK_FALSE(memory_warning(options, 1000.0, gibibyte));
  CHECK_FALSE(memory_warning(options, 1e9, std::nullopt));
  const auto warning = memory_warning(options, 403720.0, 24 * gibibyte);
  REQUIRE(warning);
  CHECK_THAT(*warning,
             test::contains("memory: this training needs about 423 GB, but only 26 GB are free"));
  options.model.d_model = 16384;
  options.model.d_ff = 65536;
  const VocabularySizes sizes{.source = 8000, .target = 8000};
  const auto parameters = parameter_count(options.model, sizes).total.total();
  CHECK(calculated_memory_mb(options, {.parameters = parameters}) > 200000.0);
}

TEST_CASE("a model with one stack takes no memory for the layers of the other", "[unit]") {
  RunOptions options;
  options.train.device = "cpu";
  options.train.batch_tokens = 4096;
  const auto memory = [](const RunOptions& of, ModelKind kind) {
    return calculated_memory_mb(of, {.kind = kind, .parameters = 1000000});
  };
  const auto encoder = memory(options, ModelKind::classifier);
  const auto decoder = memory(options, ModelKind::language_model);
  CHECK(memory(options, ModelKind::translation) > std::max(encoder, decoder));
  auto deeper = options;
  deeper.model.encoder_layers *= 2;
  CHECK(memory(deeper, ModelKind::classifier) > encoder);
  CHECK(memory(deeper, ModelKind::language_model) == decoder);
  deeper = options;
  deeper.model.decoder_layers *= 2;
  CHECK(memory(deeper, ModelKind::classifier) == encoder);
  CHECK(memory(deeper, ModelKind::language_model) > decoder);
}

}  // namespace budget_test
