#include "dragoman/analysis/step.h"

#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <torch/types.h>

namespace step_test {

using namespace dragoman;

namespace {

Step step_with(const std::vector<double>& value, const std::vector<double>& printed, int digits) {
  return {.name = "weights",
          .formula = "softmax(x)",
          .value = torch::tensor(value, torch::kDouble),
          .printed = torch::tensor(printed, torch::kDouble),
          .digits = digits};
}

}  // namespace

TEST_CASE("a printed value agrees within rounding", "[unit]") {
  CHECK(print_agrees(step_with({0.2327, 0.3837}, {0.233, 0.384}, 3)));
  const auto wrong = step_with({0.2327, 0.3837}, {0.233, 0.385}, 3);
  CHECK_FALSE(print_agrees(wrong));
  CHECK(print_error(wrong) == test::Approx(0.0013));
  CHECK(print_agrees(step_with({18886656}, {18.9e6}, -5)));
  CHECK_FALSE(print_agrees(step_with({81958912}, {100e6}, -6)));
}

TEST_CASE("a wrong printed value is shown beside the correct number with the difference",
          "[unit]") {
  CHECK(step_text(step_with({0.5, 0.3837}, {0.5, 0.422}, 3)) ==
        "  weights = softmax(x)\n"
        "      0.5000  0.3837\n"
        "    as printed\n"
        "      0.500  0.422\n"
        "    the printed value is off by up to 0.0383; rounding explains 0.0005\n");
}

TEST_CASE("omitted columns are reported", "[unit]") {
  const Step wide = {.name = "X",
                     .formula = "",
                     .value = torch::arange(12, torch::kDouble).view({2, 6}),
                     .rows = {"a", "b"}};
  const auto text = step_text(wide, {.digits = 1, .columns = 2});
  CHECK(text.find("    a  0  1  ..\n") != std::string::npos);
  CHECK(text.find("(4 more columns: see --json)") != std::string::npos);
  CHECK(step_json(wide).at("value")[1][5] == 11.0);
}

TEST_CASE("numbers too small for the decimals keep their magnitude", "[unit]") {
  const Step tiny = {
      .name = "p", .formula = "", .value = torch::tensor({1.125e-07, 0.0}, torch::kDouble)};
  CHECK(step_text(tiny).find("1.125e-07  0\n") != std::string::npos);
}

}  // namespace step_test
