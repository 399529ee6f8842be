#include "dragoman/decoding/module_model.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/forwarding_scorer.h"
#include "dragoman/search/search.h"
#include "inference/small_engine.h"
#include "support/catch.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace engine_prefix_test {

using namespace dragoman;
using test::Approx;
using test::Ids;
using test::model_of;
using test::sentences;
using test::small_options;
using test::views;

namespace {

/// Counts the steps of a search, and may hide that the scorer takes prefixes.
class CountedScorer : public ForwardingScorer {
 public:
  CountedScorer(std::unique_ptr<NextTokenScorer> scorer, bool at_once)
      : ForwardingScorer(std::move(scorer)), at_once_(at_once) {}

  bool takes_prefixes() const override { return at_once_ && ForwardingScorer::takes_prefixes(); }
  void advance(std::span<const std::int64_t> tokens) override {
    ++steps;
    ForwardingScorer::advance(tokens);
  }

  std::int64_t steps = 0;

 private:
  bool at_once_;
};

struct Found {
  std::vector<std::vector<Hypothesis>> hypotheses;
  std::int64_t steps = 0;
};

/// What is searched behind which prefixes.
struct Texts {
  std::vector<Ids> sources = sentences({7, 2, 12}, 20);
  std::vector<Ids> prefixes{{5, 6, 7}, {8, 9, 10, 11, 12}, {13, 14, 15, 16}};
  std::int64_t free_tokens = 0;
};

Found search(const std::vector<std::unique_ptr<InferenceWorker>>& workers, const Texts& texts,
             const SearchOptions& options, bool at_once) {
  const auto given = views(texts.sources);
  std::vector<std::unique_ptr<NextTokenScorer>> members;
  for (const auto& worker : workers) members.push_back(worker->start(given, options));
  const bool alone = members.size() == 1;
  CountedScorer scorer(
      alone ? std::move(members.front()) : std::make_unique<EnsembleScorer>(std::move(members)),
      at_once);
  const std::vector<std::int64_t> limits(texts.sources.size(), 11);
  std::vector<std::uint64_t> streams;
  for (const auto& source : texts.sources) streams.push_back(source.size());
  const SearchBatch batch{.max_lengths = limits,
                          .prefixes = texts.prefixes,
                          .free_tokens = texts.free_tokens,
                          .streams = streams};
  auto found = run_search(scorer, batch, options);
  return {std::move(found), scorer.steps};
}

/// \param seeds of the models' weights: several are an ensemble
void check_equal_searches(const std::vector<std::uint64_t>& seeds, const ModelOptions& model,
                          const Texts& texts, const SearchOptions& options) {
  std::vector<std::shared_ptr<const InferenceModel>> models;
  std::vector<std::unique_ptr<InferenceWorker>> workers;
  for (const auto seed : seeds) {
    models.push_back(inference_model(model_of(model, seed)));
    workers.push_back(models.back()->make_worker({}));
  }
  const auto expected = search(workers, texts, options, /*at_once=*/false);
  const auto found = search(workers, texts, options, /*at_once=*/true);
  CHECK(expected.steps - found.steps == shared_prefix_length(texts.prefixes));
  for (std::size_t i = 0; i < texts.sources.size(); ++i) {
    CAPTURE(i);
    REQUIRE(found.hypotheses[i].size() == expected.hypotheses[i].size());
    for (std::size_t k = 0; k < found.hypotheses[i].size(); ++k) {
      const auto &one = found.hypotheses[i][k], &by_steps = expected.hypotheses[i][k];
      CHECK(one.ids == by_steps.ids);
      CHECK(one.log_prob == Approx(by_steps.log_prob).epsilon(1e-5).margin(1e-5));
      CHECK(one.score == Approx(by_steps.score).epsilon(1e-5).margin(1e-5));
      CHECK(one.finished == by_steps.finished);
    }
  }
}

std::vector<std::pair<std::string, SearchOptions>> all_searches() {
  return {{"beam", {.n_best = 2}},
          {"coverage penalty", {.n_best = 2, .coverage_penalty = 0.3}},
          {"no repeated n-grams", {.n_best = 2, .no_repeat_ngram = 1}},
          {"greedy", {.greedy = true}},
          {"sampling", {.n_best = 3, .sample = true}}};
}

}  // namespace

TEST_CASE("every search takes prefixes at once and finds what it finds step by step",
          "[property]") {
  auto average = small_options();
  average.decoder_layer = DecoderLayerKind::average_attention;
  for (auto [name, options] : all_searches())
    for (const bool renormalize : {false, true}) {
      CAPTURE(name, renormalize);
      options.renormalize = renormalize;
      check_equal_searches({5}, small_options(), {}, options);
      check_equal_searches({5}, average, {}, options);
    }
}

TEST_CASE("an ensemble takes prefixes at once and finds what it finds step by step", "[property]") {
  for (auto [name, options] : all_searches())
    for (const bool renormalize : {false, true}) {
      CAPTURE(name, renormalize);
      options.renormalize = renormalize;
      check_equal_searches({5, 6, 7}, small_options(), {}, options);
    }
}

TEST_CASE("tokens of a prefix that are given cost nothing when taken at once", "[property]") {
  for (const auto& [name, options] : all_searches()) {
    CAPTURE(name);
    check_equal_searches({5}, small_options(), {.free_tokens = 2}, options);
  }
}

TEST_CASE("a batch with an empty prefix is searched step by step", "[unit]") {
  Texts texts;
  texts.prefixes[1].clear();
  for (const auto& [name, options] : all_searches()) {
    CAPTURE(name);
    check_equal_searches({5}, small_options(), texts, options);
  }
}

}  // namespace engine_prefix_test
