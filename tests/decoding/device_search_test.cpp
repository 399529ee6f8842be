#include "dragoman/core/error.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/search/search.h"
#include "dragoman/translate/workers.h"
#include "model/small_models.h"
#include "support/devices.h"

#include <torch/nn.h>

namespace device_search_test {

namespace {

using dragoman::Hypothesis;
using dragoman::InferenceModels;
using dragoman::module_model;
using dragoman::NextTokenScorer;
using dragoman::SearchOptions;
using dragoman::Transformer;

constexpr std::int64_t longest = 12;
using Results = std::vector<std::vector<Hypothesis>>;

std::vector<std::vector<std::int32_t>> sentences() {
  return {{5, 9, 12, 7, 3}, {4, 3}, {18, 17, 6, 6, 11, 8, 3}, {10, 14, 3}};
}

/// A float64 model with weights large enough for confident predictions.
Transformer confident_model(std::uint64_t seed, const dragoman::ModelOptions& given = {}) {
  auto options = given;
  options.d_model = 16;
  options.d_ff = 32;
  options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  torch::manual_seed(seed);
  Transformer model(options,
                    dragoman::VocabularySizes{test::model_vocabulary, test::model_vocabulary});
  model->to(torch::kDouble);
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(1.6);
  return model;
}

/// A scorer that ranks tokens by itself, as on a GPU, wherever it is.
class RankingScorer : public NextTokenScorer {
 public:
  explicit RankingScorer(std::unique_ptr<NextTokenScorer> scorer) : scorer_(std::move(scorer)) {}

  void advance(std::span<const std::int64_t> tokens) override { scorer_->advance(tokens); }
  dragoman::Logits logits(std::int64_t, std::int64_t) override {
    throw dragoman::ContractError("logits are read, but tokens can be ranked");
  }
  bool ranks_tokens() const override { return true; }
  dragoman::RankedTokens rank_tokens(const dragoman::RankingRequest& request,
                                     std::span<NextTokenScorer* const> others) override {
    ++rankings;
    return scorer_->rank_tokens(request, others);
  }
  std::vector<double> coverage() override { return scorer_->coverage(); }
  void select_rows(std::span<const std::int64_t> rows) override { scorer_->select_rows(rows); }
  void select_sentences(std::span<const std::int64_t> kept) override {
    scorer_->select_sentences(kept);
  }

  std::int64_t rankings = 0;

 private:
  std::unique_ptr<NextTokenScorer> scorer_;
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
  using dragoman::AttentionKind;
  std::vector<dragoman::ModelOptions> kinds(4);
  kinds[0].encoder_layer = dragoman::EncoderLayerKind::lstm;
  kinds[0].decoder_layer = dragoman::DecoderLayerKind::lstm;
  kinds[1].encoder_layer = dragoman::EncoderLayerKind::conv;
  kinds[2].encoder_attention.layers.front().common = {.kind = AttentionKind::longformer,
                                                      .radius = 1};
  kinds[2].decoder_attention.layers.front().common = {.kind = AttentionKind::local, .radius = 2};
  kinds[3].encoder_attention.layers.front().common = {.kind = AttentionKind::linear};
  kinds[3].decoder_attention.layers.front().common = {.kind = AttentionKind::linear};
  const SearchOptions options{.beam_size = 3};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(i);
    const std::vector<Transformer> model = {confident_model(7, kinds[i])};
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
    const auto found = searched({bf16}, {}, short_weights);
    CHECK(found.size() == 4);
    for (const auto& of_sentence : found) CHECK(std::isfinite(of_sentence.front().log_prob));
    CHECK_THROWS_WITH(module_model(there, {.precision = dragoman::SearchPrecision::int8}),
                      test::contains("search.precision: int8 is computed on a CPU, not on " +
                                     device.str() + "; choose float32 or bf16, or the device cpu"));
  }
}

}  // namespace device_search_test
