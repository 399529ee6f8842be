#include "dragoman/train/precision_choice.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/file.h"
#include "dragoman/kernels/weight_choice.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"

namespace dragoman::precision_choice_test {

TEST_CASE("auto is bf16 on processors of x86-64 with instructions for it, and says so", "[unit]") {
  const test::LogTaken log;
  RunOptions options;
  options.train.device = "cpu";
  const auto chosen = chosen_precision(options, std::nullopt);
#ifdef __x86_64__
  const bool bf16 = has_instructions_for(WeightType::bf16);
#else
  const bool bf16 = false;
#endif
  CHECK(chosen == (bf16 ? Precision::bf16 : Precision::float32));
  REQUIRE(log.messages.size() == 1);
  CHECK_THAT(log.messages.front(),
             test::contains(bf16 ? "train.precision=auto: bf16" : "train.precision=auto: float32"));
}

TEST_CASE("a training that resumes keeps its precision under auto", "[unit]") {
  const test::TemporaryDirectory folder;
  const Checkpoint checkpoint{.step = 1, .path = folder.path()};
  for (const auto before : {Precision::float32, Precision::bf16}) {
    RunOptions options;
    options.train.precision = before;
    write_file_atomically(folder / "config.json", to_text(options));
    CHECK(chosen_precision({}, checkpoint) == before);
  }
}

TEST_CASE("a precision that is asked for is obeyed", "[unit]") {
  for (const auto precision : {Precision::float32, Precision::bf16, Precision::float64}) {
    RunOptions options;
    options.train.precision = precision;
    CHECK(chosen_precision(options, std::nullopt) == precision);
  }
}

}  // namespace dragoman::precision_choice_test
