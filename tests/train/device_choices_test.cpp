#include "dragoman/train/device_choices.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/file.h"
#include "dragoman/distributed/single.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/worker_share.h"
#include "support/catch.h"
#include "support/devices.h"
#include "support/log_taken.h"
#include "support/skip.h"
#include "support/temporary_directory.h"

#include <nlohmann/json.hpp>

namespace dragoman::device_choices_test {

namespace {

RunOptions with_tokens(std::int64_t batch_tokens) {
  RunOptions options;
  options.train.batch_tokens = batch_tokens;
  options.train.precision = Precision::float32;
  options.train.device = "cpu";
  return options;
}

std::int64_t chosen_tokens(std::int64_t asked, const c10::Device& device,
                           const std::optional<Checkpoint>& checkpoint = std::nullopt) {
  return with_choices_for(device, with_tokens(asked), checkpoint).train.batch_tokens;
}

Precision chosen_precision(const RunOptions& options,
                           const std::optional<Checkpoint>& checkpoint = std::nullopt) {
  return with_device_choices(options, checkpoint).train.precision;
}

}  // namespace

TEST_CASE("batches have 4,096 tokens on a CPU and 25,000 on another device, and the log says so",
          "[unit]") {
  const test::LogTaken log;
  CHECK(chosen_tokens(0, c10::kCPU) == 4096);
  REQUIRE(log.messages.size() == 1);
  CHECK(log.messages.back() == "train.batch_tokens=0: batches of 4,096 tokens, for a CPU");
  for (const auto& device : test::other_devices()) {
    CHECK(chosen_tokens(0, device) == 25000);
    CHECK(log.messages.back() == "train.batch_tokens=0: batches of 25,000 tokens, for a GPU");
  }
}

TEST_CASE("a size of batches that is set is taken on every device", "[unit]") {
  const test::LogTaken log;
  for (const auto& device : test::test_devices()) CHECK(chosen_tokens(700, device) == 700);
  CHECK(log.messages.empty());
}

TEST_CASE("a training that resumes keeps the size of its batches on every device", "[unit]") {
  const test::TemporaryDirectory folder;
  const test::LogTaken log;
  const Checkpoint checkpoint{.step = 1, .path = folder.path()};
  for (const std::int64_t before : {4096, 25000, 300})
    for (const auto& device : test::test_devices()) {
      write_file_atomically(folder / "config.json", to_text(with_tokens(before)));
      CHECK(chosen_tokens(0, device, checkpoint) == before);
      CHECK(chosen_tokens(700, device, checkpoint) == 700);
    }
  CHECK(log.messages.empty());
}

TEST_CASE("the options of a training contain what was chosen for its device", "[unit]") {
  const auto chosen = with_device_choices(with_tokens(0), std::nullopt);
  CHECK(chosen.train.batch_tokens == 4096);
  CHECK(nlohmann::json(chosen) == nlohmann::json(with_tokens(4096)));
}

TEST_CASE("auto and cuda name a GPU of this rank where there is one", "[unit]") {
  if (!torch::cuda::is_available()) return test::skip("there is no GPU");
  Single alone;
  CHECK(find_device("auto").is_cuda());
  CHECK(device_of_rank(alone, "auto") == c10::Device(c10::kCUDA, 0));
  CHECK(device_of_rank(alone, "cuda") == c10::Device(c10::kCUDA, 0));
  CHECK(device_of_rank(alone, "cuda:0") == c10::Device(c10::kCUDA, 0));
  CHECK(device_of_rank(alone, "cpu").is_cpu());
  auto options = with_tokens(0);
  options.train.device = "auto";
  CHECK(with_device_choices(options, std::nullopt).train.batch_tokens == 25000);
}

TEST_CASE("auto is bf16 on processors of x86-64 with instructions for it, and says so", "[unit]") {
  const test::LogTaken log;
  RunOptions options;
  options.train.device = "cpu";
  options.train.batch_tokens = 100;
  const auto chosen = chosen_precision(options);
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
    CHECK(chosen_precision(options) == precision);
  }
}

}  // namespace dragoman::device_choices_test
