#include "dragoman/decoding/module_model.h"

#include "decoding/confident_model.h"
#include "dragoman/core/error.h"
#include "dragoman/search/search.h"
#include "support/devices.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>

namespace module_model_test {

namespace {

using dragoman::module_model;
using dragoman::SearchOptions;
using test::confident_model;
using test::layers_of_every_kind;
using test::sentences;

/// What a beam search finds for `sentences`.
std::vector<std::vector<dragoman::Hypothesis>> found_by(const dragoman::InferenceModel& model) {
  const SearchOptions options{.beam_size = 3};
  const auto all = sentences();
  const std::vector<std::span<const std::int32_t>> sources(all.begin(), all.end());
  const std::vector<std::int64_t> max_lengths(all.size(), 12);
  const auto worker = model.make_worker({});
  const auto scorer = worker->start(sources, options);
  return run_search(*scorer, {.max_lengths = max_lengths}, options);
}

}  // namespace

TEST_CASE("scores and attention are the same on each device", "[property]") {
  const auto model = confident_model(5);
  const auto all = sentences();
  const std::vector<std::span<const std::int32_t>> sources(all.begin(), all.end());
  const std::vector<std::span<const std::int32_t>> targets(all.rbegin(), all.rend());
  const auto on_cpu = module_model(model, {}, /*packed=*/false)->make_worker({});
  const auto log_probs = on_cpu->log_probs(sources, targets);
  const auto attention = on_cpu->attention(sources, targets);
  for (const auto& device : test::other_devices()) {
    const auto there = module_model(test::copied_to(device, model), {})->make_worker({});
    const auto actual = there->log_probs(sources, targets);
    const auto maps = there->attention(sources, targets);
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(actual[i].size() == log_probs[i].size());
      for (std::size_t t = 0; t < actual[i].size(); ++t)
        CHECK(actual[i][t] == test::Approx(log_probs[i][t]).margin(1e-5));
      REQUIRE(maps[i].weights.size() == attention[i].weights.size());
      for (std::size_t t = 0; t < maps[i].weights.size(); ++t)
        CHECK(maps[i].weights[t] == test::Approx(attention[i].weights[t]).margin(1e-5));
    }
  }
}

TEST_CASE("weights on a device are float32 or bf16, and int8 is refused", "[unit]") {
  auto model = confident_model(2);
  model->to(torch::kFloat);
  for (const auto& device : test::other_devices()) {
    const auto there = test::copied_to(device, model);
    const auto plain = module_model(there, {});
    CHECK(plain->description() == "float32 weights of LibTorch's modules on " + device.str());
    CHECK_FALSE(plain->is_on_cpu());
    const SearchOptions short_weights{.precision = dragoman::SearchPrecision::bf16};
    const auto bf16 = module_model(there, short_weights);
    CHECK(bf16->description() == "bf16 weights of LibTorch's modules on " + device.str());
    CHECK(there->parameters().front().scalar_type() == torch::kFloat);
    const SearchOptions chosen{.precision = dragoman::SearchPrecision::automatic};
    CHECK(module_model(there, chosen)->description() ==
          "float32 weights of LibTorch's modules on " + device.str());
    const auto found = found_by(*bf16);
    CHECK(found.size() == 4);
    for (const auto& of_sentence : found) CHECK(std::isfinite(of_sentence.front().log_prob));
    CHECK_THROWS_WITH(module_model(there, {.precision = dragoman::SearchPrecision::int8}),
                      test::contains("search.precision: int8 is computed on a CPU, not on " +
                                     device.str() + "; choose float32 or bf16, or the device cpu"));
  }
}

TEST_CASE("layers of every kind compute in bf16 on a device, near to float64", "[property]") {
  const SearchOptions options{.beam_size = 3, .precision = dragoman::SearchPrecision::bf16};
  const auto all = sentences();
  const std::vector<std::span<const std::int32_t>> sources(all.begin(), all.end());
  const std::vector<std::span<const std::int32_t>> targets(all.rbegin(), all.rend());
  for (const auto& kinds : layers_of_every_kind()) {
    CAPTURE(nlohmann::json(kinds).dump());
    const auto model = confident_model(7, kinds);
    const auto exact =
        module_model(model, {}, /*packed=*/false)->make_worker({})->log_probs(sources, targets);
    for (const auto& device : test::other_devices()) {
      const auto there = module_model(test::copied_to(device, model), options);
      const auto log_probs = there->make_worker({})->log_probs(sources, targets);
      for (std::size_t i = 0; i < exact.size(); ++i)
        for (std::size_t t = 0; t < exact[i].size(); ++t)
          CHECK(log_probs[i][t] == test::Approx(exact[i][t]).margin(0.3));
      for (const auto& of_sentence : found_by(*there))
        CHECK(std::isfinite(of_sentence.front().log_prob));
    }
  }
}

TEST_CASE("what LibTorch throws in a worker is an Error without a backtrace", "[unit]") {
  const std::vector<std::int32_t> unknown = {1000, 3};
  const std::vector<std::span<const std::int32_t>> sentence = {unknown};
  const auto worker = module_model(confident_model(2), {})->make_worker({});
  for (const auto& compute : std::vector<std::function<void()>>{
           [&] { worker->start(sentence, {}); }, [&] { worker->log_probs(sentence, sentence); },
           [&] { worker->attention(sentence, sentence); }}) {
    CHECK_THROWS_AS(compute(), dragoman::InternalError);
    CHECK_THROWS_WITH(compute(), !test::contains("Exception raised from"));
  }
}

TEST_CASE("what a search needs for each hypothesis has a bound on a device alone", "[unit]") {
  const auto model = confident_model(2);  // float64
  CHECK(module_model(model, {})->bytes_per_hypothesis() == 0.0);
  for (const auto& device : test::other_devices())
    CHECK(module_model(test::copied_to(device, model), {})->bytes_per_hypothesis() ==
          2 * 64 * 2 * (16 + 16) * 8 + 3 * test::model_vocabulary * 4);
}

}  // namespace module_model_test
