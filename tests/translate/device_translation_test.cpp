#include "dragoman/translate/scorer.h"

#include "support/catch.h"
#include "support/devices.h"
#include "translate/small_translation.h"

namespace device_translation_test {

namespace {

using dragoman::inference_model;
using dragoman::LineTranslator;
using dragoman::SearchOptions;
using dragoman::Transformer;

dragoman::InferenceModels model_on(const c10::Device& device, const Transformer& model,
                                   const SearchOptions& search = {}) {
  return {inference_model(test::copied_to(device, model), search)};
}

}  // namespace

TEST_CASE("lines are translated by a device as by the CPU, alignments included", "[property]") {
  const auto lines = test::synthetic_lines(30);
  const auto model = test::random_translation_model(3);
  const SearchOptions search{.beam_size = 3, .n_best = 2};
  const auto translated = [&](const c10::Device& device) {
    return LineTranslator(model_on(device, model, search), test::joint_vocabulary(), search,
                          {.workers = 1, .alignment = true})
        .translate(lines);
  };
  const auto expected = translated(c10::kCPU);
  for (const auto& device : test::other_devices()) {
    const auto actual = translated(device);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(device.str(), i);
      REQUIRE(actual[i].n_best.size() == expected[i].n_best.size());
      for (std::size_t k = 0; k < actual[i].n_best.size(); ++k) {
        const auto &one = actual[i].n_best[k], &same = expected[i].n_best[k];
        CHECK(one.pieces == same.pieces);
        CHECK(one.score == test::Approx(same.score).epsilon(1e-6));
        REQUIRE(one.alignment.size() == same.alignment.size());
        for (std::size_t j = 0; j < one.alignment.size(); ++j)
          CHECK(one.alignment[j].source == same.alignment[j].source);
      }
    }
  }
}

TEST_CASE("batches are larger on a GPU unless their size is asked for", "[unit]") {
  const auto model = test::random_translation_model(1);
  const auto described = [&](const c10::Device& device, const SearchOptions& search,
                             bool given = false) {
    return LineTranslator(model_on(device, model), test::joint_vocabulary(), search,
                          {.batch_tokens_given = given})
        .description();
  };
  const auto batches = [](const std::string& number) {
    return test::contains("batches of " + number + " source pieces");
  };
  CHECK_THAT(described(c10::kCPU, {}), batches("512"));
  for (const auto& device : test::other_devices()) {
    CHECK_THAT(described(device, {}), batches("8192"));
    CHECK_THAT(described(device, {}),
               test::contains(" of 1 thread") && test::contains("modules on " + device.str()));
    CHECK_THAT(described(device, {.batch_tokens = 700}), batches("700"));
    CHECK_THAT(described(device, {}, /*given=*/true), batches("512"));
  }
}

TEST_CASE("pairs are scored by a device as by the CPU", "[property]") {
  const auto lines = test::synthetic_lines(20);
  std::vector<dragoman::LinePair> pairs;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) pairs.push_back({lines[i], lines[i + 1]});
  pairs.push_back({"", ""});
  const auto model = test::random_translation_model(4);
  const auto expected =
      score_pairs(model_on(c10::kCPU, model), test::joint_vocabulary(), pairs, {.workers = 1});
  for (const auto& device : test::other_devices()) {
    const auto actual = score_pairs(model_on(device, model), test::joint_vocabulary(), pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(actual[i].pieces == expected[i].pieces);
      CHECK(actual[i].log_prob == test::Approx(expected[i].log_prob).epsilon(1e-5).margin(1e-5));
    }
  }
}

}  // namespace device_translation_test
