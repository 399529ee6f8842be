#include "app/checked_text.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace check_estimate_test {

using Text = test::CheckedText;

TEST_CASE("the time of an epoch is that of the pieces that subword sampling makes", "[e2e]") {
  const Text text;
  const auto estimate_of = [&](const std::string& amount) {
    const auto check =
        text.run({"tokenizer.type=bpe", "tokenizer.vocab_size=100", "train.max_steps=2",
                  "data.subword_sampling=" + amount, "--check", "--json"});
    CAPTURE(check.err);
    REQUIRE(check.exit_code == 0);
    return nlohmann::json::parse(check.out).at("estimate");
  };
  const auto plain = estimate_of("0"), sampled = estimate_of("0.9");
  CHECK(sampled.at("flops_per_epoch") > plain.at("flops_per_epoch"));
  CHECK(sampled.at("target_pieces_per_epoch") > plain.at("target_pieces_per_epoch"));
  CHECK(sampled.at("updates_per_epoch") == plain.at("updates_per_epoch"));
}

TEST_CASE("a validation without translations takes the time of its loss", "[e2e]") {
  const Text text;
  const auto check =
      text.run({"data.valid_source=" + (text.folder / "a.src").string(),
                "data.valid_target=" + (text.folder / "a.tgt").string(),
                "train.validate_translations=false", "train.max_steps=2", "--check", "--json"});
  CAPTURE(check.err);
  REQUIRE(check.exit_code == 0);
  const auto estimate = nlohmann::json::parse(check.out).at("estimate");
  const auto number = [&](const char* key) { return estimate.at(key).get<double>(); };
  CHECK(number("seconds_per_validation") ==
        test::Approx(number("seconds_per_epoch") / 3.0 * 600.0 / number("pairs_per_epoch")));
}

TEST_CASE("text that another run has encoded needs no more space", "[e2e]") {
  const Text text;
  const auto cache = (text.folder / "cache").string();
  const std::vector<std::string> settings = {"train.max_steps=2", "--data-cache", cache};
  const auto needed = [&] {
    const auto check = text.run(test::with(settings, {"--check", "--json"}));
    CAPTURE(check.err);
    REQUIRE(check.exit_code == 0);
    return nlohmann::json::parse(check.out).at("estimate").at("disk_bytes").get<double>();
  };
  const double before = needed();
  REQUIRE(text.run(settings).exit_code == 0);
  std::filesystem::remove_all(text.folder / "run");
  CHECK(needed() < before);
}

}  // namespace check_estimate_test
