#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace bench_test {

namespace {

/// Runs a bench with --json and --plot; gives its record.
nlohmann::json record_of(std::vector<std::string> arguments) {
  const test::TemporaryDirectory folder;
  const auto plot = (folder / "plot.svg").string();
  arguments.insert(arguments.begin(), "bench");
  const auto result = test::dragoman(test::with(arguments, {"--json", "--plot", plot}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(test::content_of(plot).starts_with("<svg "));
  return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("bench complexity gives formulas, costs and growth", "[e2e]") {
  const auto record = record_of({"complexity", "--d-model", "32", "--min-length", "1024",
                                 "--max-length", "2048", "--seconds", "0.001"});
  CHECK(record["costs"].size() == 16);
  CHECK(record["core_equals_projections"]["counted"] == 64);
  CHECK(record["parts"]["attention"]["time_within_tolerance"].is_boolean());
  CHECK(record["measured_on"]["cores"] > 0);
  CHECK_FALSE(record["measured_on"]["version"].get<std::string>().empty());
  CHECK(record["parts"]["attention"]["counted_exponent"].get<double>() > 1.99);
  CHECK(record["parts"]["attention"]["memory_exponent"].get<double>() > 1.8);
  CHECK(record["parts"]["local"]["memory_exponent"].get<double>() < 1.2);
  CHECK(record["parts"]["linear"]["memory_exponent"].get<double>() < 1.2);
}

TEST_CASE("bench path measures what the formulas say", "[e2e]") {
  const auto record = record_of({"path", "-n", "17", "--radius", "4", "--kernel", "3"});
  CHECK(record["parts"]["local"]["layers_measured"] == 4);
  CHECK(record["parts"]["convolution"]["layers_measured"] == 8);
  CHECK(record["parts"]["attention"]["layers_measured"] == 1);
}

TEST_CASE("bench parallel gives equal results both ways", "[e2e]") {
  const auto record =
      record_of({"parallel", "--lengths", "4,8", "--sentences", "2", "--seconds", "0.001"});
  REQUIRE(record["costs"].size() == 2);
  for (const auto& cost : record["costs"]) CHECK(cost["difference"].get<double>() < 1e-3);
}

TEST_CASE("bench rnn measures shorter and longer sequences than features", "[e2e]") {
  const auto record =
      record_of({"rnn", "--d-model", "16", "--lengths", "8,32", "--seconds", "0.001"});
  REQUIRE(record["costs"].size() == 2);
  CHECK(record["costs"][1]["lstm"]["multiply_adds"] == 8.0 * 32 * 16 * 16);
}

TEST_CASE("bench kernels measures every instruction set, LibTorch and the other loops", "[e2e]") {
  const auto result = test::dragoman({"bench", "kernels", "--seconds", "0.0001", "--json"});
  REQUIRE(result.exit_code == 0);
  const auto record = nlohmann::json::parse(result.out);
  std::set<std::string> types;
  bool by_torch = false;
  for (const auto& product : record["products"]) {
    CHECK(product["gmacs"].get<double>() > 0.0);
    CHECK(product["peak_share"].get<double>() > 0.0);
    types.insert(product["type"].get<std::string>());
    by_torch = by_torch || product["instructions"] == "LibTorch";
  }
  CHECK(types == std::set<std::string>{"bf16", "float32", "int8"});
  CHECK(by_torch);
  CHECK(record["loops"].size() == 8);
}

TEST_CASE("bench recompute gives the same gradients for less memory", "[e2e]") {
  const auto record =
      record_of({"recompute", "--layers", "6", "--kinds", "none,all,sqrt,every", "--sentences", "4",
                 "-n", "16", "--seconds", "0.001", "--set", "train.recompute_every=2"});
  REQUIRE(record["costs"].size() == 4);
  for (const auto& cost : record["costs"]) {
    CHECK(cost["same_gradient"] == true);
    if (cost["recompute"] != "none") CHECK(cost["peak_mb"] < record["costs"][0]["peak_mb"]);
  }
  CHECK(record["costs"][3]["segment"] == 2);
}

TEST_CASE("heads that do not divide the features are refused", "[e2e]") {
  const auto result = test::dragoman({"bench", "rnn", "--d-model", "10", "--heads", "4"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, test::contains("--d-model 10 cannot be split into --heads 4"));
}

TEST_CASE("no number and no end of measuring is refused", "[e2e]") {
  for (const char* bench :
       {"attention", "complexity", "kernels", "parallel", "recompute", "rnn", "train", "translate"})
    for (const char* seconds : {"nan", "inf", "0", "-1"}) {
      const auto result = test::dragoman({"bench", bench, "--seconds", seconds});
      CAPTURE(bench, seconds, result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, test::contains("--seconds: "));
    }
}

TEST_CASE("what no machine has memory for is refused before it is begun", "[e2e]") {
  const std::vector<std::vector<std::string>> commands = {
      {"analyze", "positions", "--d-model", "65536", "--positions", "1000000"},
      {"bench", "complexity", "--max-length", "1048576"},
      {"bench", "path", "--d-model", "65536", "--kernel", "1024"},
      {"bench", "rnn", "--lengths", "65536", "--heads", "1024", "--d-model", "1024"},
      {"bench", "attention", "--max-length", "1000000000000000"},
      {"bench", "parallel", "--lengths", "16384", "--sentences", "4096"},
      {"bench", "recompute", "--sentences", "4096", "--length", "16384"},
      {"experiment", "task", "copy", "-o", "x", "--pairs", "100000000", "--length", "100000"}};
  for (const auto& command : commands) {
    const auto result = test::dragoman(command);
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("GiB of memory") && test::contains("; choose "));
  }
}

}  // namespace bench_test
