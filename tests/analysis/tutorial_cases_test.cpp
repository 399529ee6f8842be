#include "analysis/tutorial_checks.h"

#include <nlohmann/json.hpp>

namespace tutorial_cases_test {

namespace {

using test::TutorialCase;
using test::TutorialCheck;
using test::TutorialChecks;

/// The cases without anything to compute, and why.
const std::map<std::string, std::string> without_numbers = {
    {"000.turing", "names two theorems on expressive power"},
    {"001.prune", "a claim on BLEU, for an experiment with a trained model to measure"}};

TutorialChecks all_checks() {
  TutorialChecks all;
  for (const auto topic :
       {test::attention_checks, test::softmax_checks, test::pattern_checks, test::position_checks,
        test::layer_checks, test::cost_checks, test::training_checks})
    all.merge(topic());
  return all;
}

TutorialCheck check_for(const TutorialChecks& checks, const std::string& id) {
  if (const auto own = checks.find(id); own != checks.end()) return own->second;
  for (const auto& [beginning, check] : checks)
    if (beginning.ends_with('_') && id.starts_with(beginning)) return check;
  return nullptr;
}

}  // namespace

TEST_CASE("the library computes every number of the tutorials from its inputs", "[golden]") {
  const auto checks = all_checks();
  for (const auto& stored : test::worked_examples()) {
    const auto id = stored.at("id").get<std::string>();
    DYNAMIC_SECTION(id) {
      TutorialCase example(id);
      if (without_numbers.contains(id)) {
        for (const auto& path : example.unread()) example.is_prose(path.substr(1));
        return;
      }
      const auto check = check_for(checks, id);
      REQUIRE(check != nullptr);
      check(example);
      CHECK(example.unread() == std::vector<std::string>{});
    }
  }
}

}  // namespace tutorial_cases_test
