#include "dragoman/train/loss_tally.h"

#include "support/catch.h"

#include <torch/types.h>

namespace dragoman::loss_tally_test {

namespace {

/// \param sums smoothed loss, unsmoothed loss, correct tokens
DeviceLoss on_device(std::vector<double> sums, std::int64_t tokens) {
  return {.sum = {}, .sums = torch::tensor(sums, torch::kFloat64), .tokens = tokens};
}

}  // namespace

TEST_CASE("losses on a device and on the host are accumulated in the same way", "[unit]") {
  LossTally host, device;
  host.add(Loss{.sum = torch::tensor(2.5F), .nll = 2.0, .correct = 3, .tokens = 7});
  host.add(Loss{.sum = torch::tensor(0.5F), .nll = 0.25, .correct = 1, .tokens = 2});
  device.add(on_device({2.5, 2.0, 3.0}, 7));
  device.add(on_device({0.5, 0.25, 1.0}, 2));
  for (const auto& sums : {host.sums(), device.sums()}) {
    CHECK(sums.loss == 3.0);
    CHECK(sums.nll == 2.25);
    CHECK(sums.correct == 4);
    CHECK(sums.tokens == 9);
  }
}

TEST_CASE("an empty tally is zero", "[unit]") {
  const auto sums = LossTally().sums();
  CHECK(sums.loss == 0.0);
  CHECK(sums.tokens == 0);
}

}  // namespace dragoman::loss_tally_test
