#include "decoding/confident_model.h"
#include "dragoman/core/error.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/search/forwarding_scorer.h"
#include "dragoman/search/search.h"
#include "dragoman/translate/workers.h"
#include "support/devices.h"

#include <torch/nn.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace device_search_test {

namespace {

using dragoman::ForwardingScorer;
using dragoman::Hypothesis;
using dragoman::InferenceModels;
using dragoman::module_model;
using dragoman::NextTokenScorer;
using dragoman::SearchOptions;
using dragoman::Transformer;
using test::confident_model;
using test::layers_of_every_kind;
using test::sentences;

constexpr std::int64_t longest = 12;
using Results = std::vector<std::vector<Hypothesis>>;

/// A scorer that ranks tokens by itself, as on a GPU, wherever it is.
class RankingScorer : public ForwardingScorer {
 public:
  using ForwardingScorer::ForwardingScorer;

  dragoman::Logits logits(std::int64_t, std::int64_t) override {
    throw dragoman::ContractError("logits are read, but tokens can be ranked");
  }
  bool ranks_tokens() const override { return true; }
  dragoman::RankedTokens rank_tokens(const dragoman::RankingRequest& request,
                                     std::span<NextTokenScorer* const> others) override {
    ++rankings;
    return ForwardingScorer::rank_tokens(request, others);
  }

  std::int64_t rankings = 0;
};

/// What is searched for: sentences, some with prefixes.
struct Task {
  std::vector<std::vector<std::int32_t>> sources = sentences();
  std::vector<std::vector<std::int32_t>> prefixes = {};
  std::vector<std::int64_t> max_lengths = std::vector<std::int64_t>(4, longest);
  std::vector<std::uint64_t> streams = {1, 2, 3, 4};

  Results search(NextTokenScorer& scorer, const SearchOptions& options) const {
    return run_search(
        scorer, {.max_lengths = max_lengths, .prefixes = prefixes, .streams = streams}, options);
  }
};

dragoman::EnsembleWorker workers_of(const InferenceModels& models) {
  dragoman::EnsembleWorker workers;
  for (const auto& model : models) workers.push_back(model->make_worker({}));
  return workers;
}

Results searched(const InferenceModels& models, const Task& task, const SearchOptions& options) {
  const auto workers = workers_of(models);
  const std::vector<std::span<const std::int32_t>> sources(task.sources.begin(),
                                                           task.sources.end());
  const auto scorer = start_scorer(workers, sources, options);
  return task.search(*scorer, options);
}

InferenceModels models_on(const c10::Device& device, const std::vector<Transformer>& models,
                          const SearchOptions& options) {
  InferenceModels all;
  for (const auto& model : models)
    all.push_back(module_model(test::copied_to(device, model), options, /*packed=*/false));
  return all;
}

void check_same(const Results& actual, const Results& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CAPTURE(i);
    REQUIRE(actual[i].size() == expected[i].size());
    for (std::size_t k = 0; k < actual[i].size(); ++k) {
      CHECK(actual[i][k].ids == expected[i][k].ids);
      CHECK(actual[i][k].finished == expected[i][k].finished);
      CHECK(actual[i][k].log_prob ==
            test::Approx(expected[i][k].log_prob).epsilon(1e-9).margin(1e-9));
      CHECK(actual[i][k].score == test::Approx(expected[i][k].score).epsilon(1e-9).margin(1e-9));
    }
  }
}

struct NamedSearch {
  const char* name;
  SearchOptions options;
};

std::vector<NamedSearch> searches() {
  SearchOptions beam{.beam_size = 4, .n_best = 4};
  auto greedy = SearchOptions{.greedy = true}, ngrams = beam, coverage = beam, without_cache = beam;
  ngrams.no_repeat_ngram = 2;
  coverage.coverage_penalty = 0.3;
  without_cache.cache = false;
  auto greedy_ngrams = greedy, no_cache_coverage = without_cache;
  greedy_ngrams.no_repeat_ngram = 1;
  no_cache_coverage.coverage_penalty = 0.3;
  const SearchOptions samples{.n_best = 3, .sample = true};
  auto top_k = samples, top_p = samples, all_rules = samples;
  top_k.top_k = 3;
  top_p.top_p = 0.6;
  all_rules.top_k = 5;
  all_rules.top_p = 0.8;
  all_rules.temperature = 1.7;
  all_rules.no_repeat_ngram = 2;
  return {{"beam", beam},
          {"greedy", greedy},
          {"no repeated pairs", ngrams},
          {"coverage", coverage},
          {"greedy, no repeated piece", greedy_ngrams},
          {"no cache", without_cache},
          {"no cache, coverage", no_cache_coverage},
          {"samples", samples},
          {"samples of the 3 best", top_k},
          {"samples of the best 60 %", top_p},
          {"samples by all rules", all_rules}};
}

}  // namespace

TEST_CASE("a search on a device finds what a search on the CPU finds", "[property]") {
  const std::vector<Transformer> model = {confident_model(2)};
  for (const auto& device : test::other_devices())
    for (const auto& [name, options] : searches()) {
      CAPTURE(name, device.str());
      check_same(searched(models_on(device, model, options), {}, options),
                 searched(models_on(c10::kCPU, model, options), {}, options));
    }
}

TEST_CASE("prefixes are kept by a search on a device", "[property]") {
  const std::vector<Transformer> model = {confident_model(2)};
  const Task task{.prefixes = {{7, 7, 8}, {}, {0}, {9, 5}}};
  for (const auto& device : test::other_devices())
    for (const auto& [name, options] : searches()) {
      CAPTURE(name, device.str());
      check_same(searched(models_on(device, model, options), task, options),
                 searched(models_on(c10::kCPU, model, options), task, options));
    }
}

TEST_CASE("translations of more than 128 pieces grow on a device as on the CPU", "[property]") {
  const std::vector<Transformer> model = {confident_model(2)};
  Task task{.max_lengths = std::vector<std::int64_t>(4, 150)};
  for (std::int32_t sentence = 0; sentence < 4; ++sentence) {
    auto& prefix = task.prefixes.emplace_back();
    for (std::int32_t i = 0; i < 120 + 2 * sentence; ++i)
      prefix.push_back(4 + (i * (sentence + 3)) % 15);
  }
  for (const auto& device : test::other_devices())
    for (const auto& options : {SearchOptions{.beam_size = 4, .n_best = 4}, {.greedy = true}}) {
      CAPTURE(device.str(), options.greedy);
      const auto found = searched(models_on(device, model, options), task, options);
      check_same(found, searched(models_on(c10::kCPU, model, options), task, options));
      const auto is_long = [](const auto& n_best) { return n_best.front().ids.size() > 130; };
      CHECK(std::ranges::any_of(found, is_long));
    }
}

TEST_CASE("an ensemble on a device finds what it finds on the CPU", "[property]") {
  const std::vector<Transformer> models = {confident_model(2), confident_model(3),
                                           confident_model(4)};
  for (const auto& device : test::other_devices())
    for (const auto& [name, options] : searches()) {
      CAPTURE(name, device.str());
      check_same(searched(models_on(device, models, options), {}, options),
                 searched(models_on(c10::kCPU, models, options), {}, options));
    }
}

TEST_CASE("layers of every kind search on a device", "[property]") {
  const SearchOptions options{.beam_size = 3};
  for (const auto& kinds : layers_of_every_kind()) {
    CAPTURE(nlohmann::json(kinds).dump());
    const std::vector<Transformer> model = {confident_model(7, kinds)};
    for (const auto& device : test::other_devices())
      check_same(searched(models_on(device, model, options), {}, options),
                 searched(models_on(c10::kCPU, model, options), {}, options));
  }
}

TEST_CASE("a search by ranked tokens never reads logits and finds the same", "[property]") {
  const std::vector<Transformer> model = {confident_model(2)};
  const Task task{.prefixes = {{7, 7, 8}, {}, {0}, {9, 5}}};
  for (const auto& [name, options] : searches()) {
    CAPTURE(name);
    const auto workers = workers_of(models_on(c10::kCPU, model, options));
    const std::vector<std::span<const std::int32_t>> sources(task.sources.begin(),
                                                             task.sources.end());
    RankingScorer scorer(start_scorer(workers, sources, options));
    const auto found = task.search(scorer, options);
    CHECK(scorer.rankings > 0);
    check_same(found, searched(models_on(c10::kCPU, model, options), task, options));
  }
}

}  // namespace device_search_test
