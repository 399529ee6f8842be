#include "dragoman/inference/engine_model.h"

#include "dragoman/core/error.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/search/search.h"
#include "inference/engine_options.h"
#include "inference/small_engine.h"
#include "support/catch.h"

#include <torch/nn.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace engine_model_test {

using namespace dragoman;
using test::Approx;
using test::Ids;
using test::model_of;
using test::sentences;
using test::small_options;
using test::views;

namespace {

/// The modules without packed weights, and the engine.
struct Both {
  explicit Both(const Transformer& model, std::int64_t threads = 1)
      : modules(module_model(model, {}, /*packed=*/false)),
        engine(inference_model(model)),
        plain(modules->make_worker({})),
        fast(engine->make_worker({.threads = threads})) {
    REQUIRE(dynamic_cast<const EngineModel*>(engine.get()) != nullptr);
  }

  std::shared_ptr<const InferenceModel> modules, engine;
  std::unique_ptr<InferenceWorker> plain, fast;
};

/// One with weights large enough for confident predictions: rounding decides about no place.
Transformer confident_model() {
  auto model = model_of(small_options());
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(1.3);
  return model;
}

std::vector<std::vector<Hypothesis>> found_by(InferenceWorker& worker,
                                              const std::vector<Ids>& sources,
                                              const SearchOptions& options) {
  const auto given = views(sources);
  const auto scorer = worker.start(given, options);
  std::vector<std::int64_t> limits;
  std::vector<std::uint64_t> streams;
  for (const auto& source : sources) {
    limits.push_back(std::ssize(source) + 6);
    streams.push_back(source.size());
  }
  return run_search(*scorer, {.max_lengths = limits, .streams = streams}, options);
}

/// Whether rounding decides about the place of the k-th hypothesis.
bool is_tied(const std::vector<Hypothesis>& found, std::size_t k) {
  const auto near = [&](std::size_t i) { return std::abs(found[i].score - found[k].score) < 1e-3; };
  return (k > 0 && near(k - 1)) || (k + 1 < found.size() && near(k + 1));
}

void check_equal_searches(Both& both, const std::vector<Ids>& sources,
                          const SearchOptions& options) {
  const auto expected = found_by(*both.plain, sources, options);
  const auto found = found_by(*both.fast, sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CAPTURE(i);
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t k = 0; k < found[i].size(); ++k) {
      CHECK(found[i][k].score == Approx(expected[i][k].score).epsilon(1e-4).margin(1e-4));
      if (!is_tied(expected[i], k)) CHECK(found[i][k].ids == expected[i][k].ids);
    }
  }
}

void check_close(const std::vector<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-4).margin(2e-5));
  }
}

}  // namespace

TEST_CASE("the engine scores and attends like the modules, whatever the options", "[property]") {
  const auto sources = sentences({7, 1, 12, 3}, 1), targets = sentences({5, 9, 1, 2}, 2);
  for (const auto& [name, options] : test::engine_options()) {
    CAPTURE(name);
    Both both(model_of(options));
    const auto given = views(sources), wanted = views(targets);
    const auto scores = both.fast->log_probs(given, wanted);
    const auto expected_scores = both.plain->log_probs(given, wanted);
    const auto maps = both.fast->attention(given, wanted);
    const auto expected_maps = both.plain->attention(given, wanted);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CAPTURE(i);
      check_close(scores[i], expected_scores[i]);
      CHECK(maps[i].source_len == std::ssize(sources[i]));
      check_close(maps[i].weights, expected_maps[i].weights);
    }
  }
}

TEST_CASE("the engine decodes like the modules, whatever the options", "[property]") {
  const auto sources = sentences({7, 2, 12, 5, 1}, 3);
  for (const auto& [name, options] : test::engine_options()) {
    CAPTURE(name);
    Both both(model_of(options));
    check_equal_searches(both, sources, {.beam_size = 3, .n_best = 3});
  }
}

TEST_CASE("every kind of search runs on the engine", "[property]") {
  const auto sources = sentences({7, 2, 12, 5}, 4);
  Both both(model_of(small_options()));
  check_equal_searches(both, sources, {.greedy = true});
  check_equal_searches(both, sources, {.n_best = 4, .sample = true});
  check_equal_searches(both, sources, {.n_best = 4, .no_repeat_ngram = 2});
  check_equal_searches(both, sources, {.n_best = 2, .coverage_penalty = 0.3});
  check_equal_searches(both, sources, {.beam_size = 1});
}

TEST_CASE("a batch of 200 random sentences gives the engine's results of each alone",
          "[property]") {
  std::mt19937 random(17);
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 200; ++i) lengths.push_back(2 + static_cast<std::int64_t>(random() % 13));
  const auto sources = sentences(lengths, 21);
  Both both(confident_model());
  const SearchOptions options{.beam_size = 4, .n_best = 2};
  const auto together = found_by(*both.fast, sources, options);
  std::set<Ids> different;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CAPTURE(i);
    const auto alone = found_by(*both.fast, {sources[i]}, options).front();
    REQUIRE(together[i].size() == 2);
    REQUIRE(alone.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(together[i][k].ids == alone[k].ids);
      CHECK(std::abs(together[i][k].score - alone[k].score) <= 1e-5);
      different.insert(alone[k].ids);
    }
  }
  CHECK(different.size() > 200);
}

TEST_CASE("prefixes taken at once give what they give token by token", "[property]") {
  const auto sources = sentences({7, 2, 12}, 20);
  const std::vector<Ids> prefixes{{5, 6, 7}, {8, 9, 10, 11, 12}, {13, 14, 15, 16}};
  for (const auto& [name, options] : test::engine_options()) {
    CAPTURE(name);
    Both both(model_of(options));
    const auto given = views(sources);
    const std::vector<std::int64_t> limits{9, 9, 9};
    const auto found_with = [&](InferenceWorker& worker) {
      const auto scorer = worker.start(given, {});
      return run_search(*scorer, {.max_lengths = limits, .prefixes = prefixes}, {.n_best = 2});
    };
    const auto expected = found_with(*both.plain), found = found_with(*both.fast);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::ranges::equal(std::span(found[i][0].ids).first(prefixes[i].size()), prefixes[i]));
      REQUIRE(found[i].size() == expected[i].size());
      for (std::size_t k = 0; k < found[i].size(); ++k) {
        CHECK(found[i][k].score == Approx(expected[i][k].score).epsilon(1e-4).margin(1e-4));
        CHECK(found[i][k].log_prob == Approx(expected[i][k].log_prob).epsilon(1e-4).margin(1e-4));
      }
    }
  }
}

TEST_CASE("long sentences are attended to in blocks", "[property]") {
  const auto sources = sentences({300, 64, 65}, 5), targets = sentences({65, 300, 64}, 6);
  Both both(model_of(small_options()));
  const auto given = views(sources), wanted = views(targets);
  const auto scores = both.fast->log_probs(given, wanted);
  const auto expected = both.plain->log_probs(given, wanted);
  const auto maps = both.fast->attention(given, wanted);
  const auto expected_maps = both.plain->attention(given, wanted);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_close(scores[i], expected[i]);
    check_close(maps[i].weights, expected_maps[i].weights);
  }
}

TEST_CASE("a worker's batches do not depend on those before, nor on its threads", "[property]") {
  const auto model = model_of(small_options());
  const auto first = sentences({30, 20, 25}, 7), second = sentences({4, 9}, 8);
  Both both(model, 3);
  const auto expected = found_by(*both.engine->make_worker({}), second, {});
  found_by(*both.fast, first, {});
  const auto found = found_by(*both.fast, second, {});
  for (std::size_t i = 0; i < second.size(); ++i) {
    CHECK(found[i][0].ids == expected[i][0].ids);
    CHECK(found[i][0].score == expected[i][0].score);
  }
}

TEST_CASE("a search that is cancelled ends before its sentences are encoded", "[unit]") {
  Both both(model_of(small_options()));
  const auto sources = sentences({30}, 15);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(both.fast->start(views(sources), {}, {}, stop.get_token()), Cancelled);
  CHECK_THROWS_AS(both.plain->start(views(sources), {}, {}, stop.get_token()), Cancelled);
}

TEST_CASE("a search that is cancelled ends before its prefixes are read", "[unit]") {
  Both both(model_of(small_options()));
  const auto sources = sentences({30}, 15), prefixes = sentences({20}, 16);
  std::stop_source stop;
  const auto scorer = both.fast->start(views(sources), {}, {}, stop.get_token());
  stop.request_stop();
  CHECK_THROWS_AS(scorer->advance_prefix(prefixes, 20, {}), Cancelled);
}

TEST_CASE("scoring and alignment that are cancelled end before sentences are encoded", "[unit]") {
  Both both(model_of(small_options()));
  const auto sources = sentences({30}, 15), targets = sentences({30}, 16);
  const auto given = views(sources), wanted = views(targets);
  std::stop_source stop;
  stop.request_stop();
  for (auto* worker : {both.fast.get(), both.plain.get()}) {
    CHECK_THROWS_AS(worker->log_probs(given, wanted, nullptr, stop.get_token()), Cancelled);
    CHECK_THROWS_AS(worker->attention(given, wanted, stop.get_token()), Cancelled);
  }
}

TEST_CASE("logits of several chunks are the modules', and the same with any number of threads",
          "[property]") {
  for (const std::int64_t vocab_size : {1024, 2100}) {
    Both both(model_of(small_options(), 5, vocab_size), 3);
    const auto sources = sentences({6, 9}, 17);
    auto targets = sentences({30, 70}, 18);
    for (auto& target : targets) target.front() = static_cast<std::int32_t>(vocab_size - 1);
    const auto given = views(sources), wanted = views(targets);
    const auto found = both.fast->log_probs(given, wanted);
    const auto expected = both.plain->log_probs(given, wanted);
    CHECK(found == both.engine->make_worker({})->log_probs(given, wanted));
    for (std::size_t i = 0; i < targets.size(); ++i) check_close(found[i], expected[i]);
  }
}

TEST_CASE("bf16 and int8 weights change the scores by little", "[property]") {
  const auto model = model_of(small_options());
  const auto sources = sentences({7, 12}, 9), targets = sentences({5, 9}, 10);
  const auto given = views(sources), wanted = views(targets);
  const auto exact = inference_model(model)->make_worker({})->log_probs(given, wanted);
  // Half as much again as their roundings change these scores, 0.019, and twice as much, 0.046.
  for (const auto& [type, tolerance] :
       {std::pair(WeightType::bf16, 0.03), std::pair(WeightType::int8, 0.1)}) {
    const auto found = inference_model(model, {.precision = precision_with(type)})
                           ->make_worker({})
                           ->log_probs(given, wanted);
    for (std::size_t i = 0; i < exact.size(); ++i)
      for (std::size_t t = 0; t < exact[i].size(); ++t) {
        CAPTURE(tolerance, found[i][t] - exact[i][t]);
        CHECK(found[i][t] == Approx(exact[i][t]).margin(tolerance).epsilon(0.0));
        CHECK(found[i][t] != exact[i][t]);
      }
  }
}

TEST_CASE("an engine model keeps the weights that it was made of", "[property]") {
  const auto model = model_of(small_options());
  const auto sources = sentences({7}, 11), targets = sentences({5}, 12);
  const auto engine = inference_model(model);
  const auto before = engine->make_worker({})->log_probs(views(sources), views(targets));
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : model->parameters()) parameter.zero_();
  CHECK(engine->make_worker({})->log_probs(views(sources), views(targets)) == before);
}

TEST_CASE("what the engine lacks is named, and left to the modules", "[unit]") {
  auto options = small_options();
  CHECK(engine_lacks(options).empty());
  options.encoder_layer = EncoderLayerKind::lstm;
  CHECK(engine_lacks(options) == "model.encoder_layer=lstm");
  const auto by_modules = inference_model(model_of(options));
  CHECK(dynamic_cast<const EngineModel*>(by_modules.get()) == nullptr);
  CHECK_THAT(by_modules->description(), test::contains("LibTorch's modules"));
  options = small_options();
  options.decoder_attention.layers.front().common.kind = AttentionKind::local;
  CHECK(engine_lacks(options) == "the kind of model.decoder_attention");
  const auto without_cache = inference_model(model_of(small_options()), {.cache = false});
  CHECK(dynamic_cast<const EngineModel*>(without_cache.get()) == nullptr);
}

TEST_CASE("a position that was not learned is refused", "[unit]") {
  auto options = small_options();
  options.position = Position::learned;
  options.max_positions = 8;
  const auto engine = inference_model(model_of(options));
  const auto sources = sentences({9}, 13), targets = sentences({2}, 14);
  CHECK_THROWS_AS(engine->make_worker({})->log_probs(views(sources), views(targets)), DataError);
}

}  // namespace engine_model_test
