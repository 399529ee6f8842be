#include "convert/step_log_probs.h"

#include <algorithm>
#include <functional>

namespace huggingface_steps_test {

using namespace dragoman;
using test::for_foreign_cases;
using test::ForeignCase;
using test::Ids;

namespace {

std::vector<std::vector<double>> logits_of(const ForeignCase& foreign, const Ids& source,
                                           const Ids& target) {
  return test::step_logits(*foreign.engine, source, target,
                           foreign.run.vocabulary.target.special().bos);
}

}  // namespace

TEST_CASE("the first step has the most probable tokens of transformers", "[golden]") {
  int steps = 0;
  for_foreign_cases([&steps](const ForeignCase& foreign) {
    for (const auto& sentence : foreign.golden.at("sentences")) {
      const auto key = test::numbered_key(sentence, "first_step_top");
      if (key.empty()) continue;
      CAPTURE(sentence.at("text").dump());
      const auto& expected = sentence.at(key);
      const auto ids = expected.at("ids").get<Ids>();
      const auto step = logits_of(foreign, sentence.at("input_ids").get<Ids>(), {ids.front()});
      auto log_probs = test::log_softmax(step.front(), {});
      std::vector<double> of_ids;
      for (const auto id : ids) of_ids.push_back(log_probs.at(static_cast<std::size_t>(id)));
      test::check_steps(of_ids, expected.at("logprobs").get<std::vector<double>>());
      std::ranges::sort(log_probs, std::greater());
      log_probs.resize(ids.size());
      test::check_steps(log_probs, expected.at("logprobs").get<std::vector<double>>());
      ++steps;
    }
  });
  CHECK(steps > 0);
}

TEST_CASE("each step of greedy search has the log-probability that transformers gives it",
          "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    const auto& rules = foreign.golden.at("search");
    const bool renormalize = rules.at("renormalize_logits").get<bool>();
    const auto banned = rules.at("banned_ids").get<Ids>();
    const auto last = foreign.golden.at("max_length").get<std::size_t>() - 2;  // after the start
    for (const auto& sentence : foreign.golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      const auto& expected = sentence.at("greedy");
      const auto ids = expected.at("ids").get<Ids>();
      const auto steps = logits_of(foreign, sentence.at("input_ids").get<Ids>(), ids);
      std::vector<double> found;
      for (std::size_t t = 0; t < ids.size(); ++t) {
        const bool forced = (t == 0 && !rules.at("forced_first_id").is_null()) ||
                            (t == last && !rules.at("forced_last_id").is_null());
        const auto log_probs = test::log_softmax(steps[t], renormalize ? banned : Ids());
        found.push_back(forced ? 0.0 : log_probs.at(static_cast<std::size_t>(ids[t])));
      }
      test::check_steps(found, expected.at("logprobs").get<std::vector<double>>());
    }
  });
}

TEST_CASE("greedy search ends where transformers does", "[golden]") {
  for_foreign_cases([](const ForeignCase& foreign) {
    auto search = foreign.search();
    search.greedy = true;
    search.n_best = 1;
    for (const auto& sentence : foreign.golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      const auto found =
          foreign.found(*foreign.engine, sentence.at("input_ids").get<Ids>(), search)[0];
      CHECK(foreign.ended(found) == sentence.at("greedy").at("ended").get<bool>());
    }
  });
}

TEST_CASE("without the pad column given translations are as probable as transformers says",
          "[golden]") {
  int pairs = 0;
  for_foreign_cases([&pairs](const ForeignCase& foreign) {
    const Ids pad{foreign.golden.at("pad_id").get<std::int32_t>()};
    for (const auto& pair : foreign.golden.at("forced")) {
      if (!pair.contains("logprobs_without_pad")) continue;
      const auto target = pair.at("label_ids").get<Ids>();
      const auto steps = logits_of(foreign, pair.at("input_ids").get<Ids>(), target);
      std::vector<double> found;
      for (std::size_t t = 0; t < target.size(); ++t)
        found.push_back(test::log_softmax(steps[t], pad).at(static_cast<std::size_t>(target[t])));
      test::check_steps(found, pair.at("logprobs_without_pad").get<std::vector<double>>());
      ++pairs;
    }
  });
  CHECK(pairs > 0);
}

TEST_CASE("a search until nothing can win has the best hypothesis of transformers, where told so",
          "[golden]") {
  int agreeing = 0;
  for_foreign_cases([&agreeing](const ForeignCase& foreign) {
    auto search = foreign.search();
    search.early_stopping = EarlyStopping::off;
    for (const auto& sentence : foreign.golden.at("sentences")) {
      CAPTURE(sentence.at("text").dump());
      const auto best =
          foreign.found(*foreign.engine, sentence.at("input_ids").get<Ids>(), search)[0];
      const auto& first = sentence.at(test::beam_key(sentence)).at("hypotheses").at(0);
      const bool agrees = sentence.at("never_agrees").get<bool>();
      CHECK((best.ids == first.at("ids").get<Ids>()) == agrees);
      CHECK(best.score > first.at("score").get<double>() - test::foreign_tolerance);
      agreeing += static_cast<int>(agrees);
    }
  });
  CHECK(agreeing > 0);
}

}  // namespace huggingface_steps_test
