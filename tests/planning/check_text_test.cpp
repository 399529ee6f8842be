#include "dragoman/planning/check.h"

#include "support/catch.h"

#include <algorithm>
#include <string>

namespace check_text_test {

using namespace dragoman;

namespace {

RunOptions validated() {
  RunOptions options;
  options.train.device = "cpu";
  options.data.valid_source = options.data.valid_target = "valid.txt";
  return options;
}

TrainingCheck calculated() {
  TrainingCheck check{.texts = {}};
  check.estimate =
      TrainingEstimate{.updates_per_epoch = 100.0,
                       .seconds_per_epoch = 3600.0,
                       .not_measured = "the model was not tried: it would take minutes",
                       .seconds_per_validation = 30.0};
  check.budget = TrainingBudget{.updates = 100.0, .limit = "train.max_steps"};
  return check;
}

/// The screen in one line.
std::string screen(const TrainingCheck& check, const RunOptions& options) {
  auto text = check.text(options);
  std::ranges::replace(text, '\n', ' ');
  text.erase(std::ranges::unique(text, [](char a, char b) { return a == ' ' && b == ' '; }).begin(),
             text.end());
  return text;
}

}  // namespace

TEST_CASE("a check says that the time of translations that were not tried is missing", "[unit]") {
  auto options = validated();
  auto check = calculated();
  const std::string missing = "; a validation 30 s, without its translations, whose time is not";
  CHECK_THAT(screen(check, options), test::contains(missing));
  options.train.validate_translations = false;
  CHECK_THAT(screen(check, options),
             test::contains("; a validation 30 s") && !test::contains("without its translations"));
  options.train.validate_translations = true;
  check.estimate->measured = true;
  CHECK_THAT(screen(check, options),
             test::contains("; a validation 30 s") && !test::contains("without its translations"));
}

TEST_CASE("a check counts the pairs that the filters leave out", "[unit]") {
  const RunOptions options = validated();
  auto check = calculated();
  CHECK_THAT(screen(check, options), !test::contains("left out"));
  check.estimate->too_long_pairs = 43.0;
  CHECK_THAT(screen(check, options),
             test::contains("0 target pieces; left out: 43 too long (data.max_length) time "));
  check.estimate->over_ratio_pairs = 1200.0;
  CHECK_THAT(screen(check, options),
             test::contains("43 too long (data.max_length), 1,200 over the length ratio "
                            "(data.max_ratio) time "));
  const auto estimate = check.json().at("estimate");
  CHECK(estimate.at("too_long_pairs") == 43.0);
  CHECK(estimate.at("over_ratio_pairs") == 1200.0);
}

TEST_CASE("a model whose updates run out of memory does not fit", "[unit]") {
  const RunOptions options = validated();
  auto check = calculated();
  CHECK_THAT(screen(check, options), test::contains(" memory about "));
  CHECK(check.json().at("estimate").at("fits") == true);
  check.estimate->memory_fault = "out of memory: 2 GiB; use a smaller model";
  check.estimate->not_measured = "memory ran out while it was tried";
  check.texts.problems = {check.estimate->memory_fault};
  CHECK_THAT(screen(check, options),
             test::contains(" memory does not fit; calculated: ") &&
                 test::contains("GFLOP/s; memory ran out while it was tried)") &&
                 test::contains("problem: out of memory: 2 GiB; use a smaller model") &&
                 test::contains("Training will be refused: 1 problem above."));
  CHECK(check.json().at("estimate").at("fits") == false);
  CHECK(check.json().at("usable") == false);
}

TEST_CASE("a check states the space on the disk of --data-cache if it is another", "[unit]") {
  const auto options = validated();
  auto check = calculated();
  check.estimate->checkpoint_bytes = 1e6;
  check.disk = DiskNeeds{.run = {.bytes = 7e6, .free = 9'000'000}};
  CHECK_THAT(screen(check, options), test::contains("by each metric, the text as ids"));
  check.disk->data_cache = DiskNeed{.bytes = 2e6, .free = 8'000'000};
  CHECK_THAT(screen(check, options), test::contains("by each metric; in --data-cache up to ") &&
                                         test::contains(" free: the text as ids"));
  check.disk->has_text = true;
  CHECK_THAT(screen(check, options),
             test::contains("by each metric; in --data-cache the text as ids is there"));
  const auto json = check.json().at("estimate");
  CHECK(json.at("disk_bytes") == 7e6);
  CHECK(json.at("data_cache_bytes") == 2e6);
}

}  // namespace check_text_test
