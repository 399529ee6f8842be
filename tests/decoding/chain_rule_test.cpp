// log P(target | source) is the sum of the log-probabilities of its steps, however it is computed.
#include "dragoman/decoding/module_model.h"
#include "dragoman/search/search.h"
#include "inference/small_engine.h"
#include "support/catch.h"

#include <cmath>
#include <numeric>

namespace chain_rule_test {

using namespace dragoman;
using test::Ids;

namespace {

/// ln of the softmax of a row at `token`.
double log_prob_of(const Logits& logits, std::int64_t row, std::int64_t token) {
  return std::visit(
      [&](const auto& of) {
        double largest = -HUGE_VAL, sum = 0.0;
        for (const auto x : of.row(row)) largest = std::max(largest, static_cast<double>(x));
        for (const auto x : of.row(row)) sum += std::exp(static_cast<double>(x) - largest);
        return static_cast<double>(of.row(row)[static_cast<std::size_t>(token)]) - largest -
               std::log(sum);
      },
      logits);
}

/// Feeds the targets token by token and adds up what was said of each next one.
std::vector<double> step_by_step(InferenceWorker& worker, const std::vector<Ids>& sources,
                                 const std::vector<Ids>& targets, const SearchOptions& search) {
  const auto given = test::views(sources);
  const auto scorer = worker.start(given, search);
  std::vector<double> sums(targets.size(), 0.0);
  std::vector<std::int64_t> tokens(targets.size(), SpecialIds{}.bos);
  std::size_t longest = 0;
  for (const auto& target : targets) longest = std::max(longest, target.size());
  for (std::size_t t = 0; t < longest; ++t) {
    scorer->advance(tokens);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (t >= targets[i].size()) continue;
      sums[i] += log_prob_of(scorer->logits(static_cast<std::int64_t>(i), 1), 0, targets[i][t]);
      tokens[i] = targets[i][t];
    }
  }
  return sums;
}

struct Way {
  const char* name;
  std::shared_ptr<const InferenceModel> model;
  SearchOptions search;
};

/// All implementations: the engine, and the modules with and without cached keys and values.
std::vector<Way> all_ways(const Transformer& model) {
  SearchOptions uncached;
  uncached.cache = false;
  return {{"engine", inference_model(model), {}},
          {"modules", module_model(model, {}, /*packed=*/false), {}},
          {"modules without cache", module_model(model, uncached, /*packed=*/false), uncached}};
}

double sum_of(const std::vector<float>& log_probs) {
  return std::accumulate(log_probs.begin(), log_probs.end(), 0.0);
}

}  // namespace

TEST_CASE("a sequence's score is the sum of its steps' log-probabilities, cached or not",
          "[property]") {
  const auto sources = test::sentences({7, 1, 12, 3, 5}, 1),
             targets = test::sentences({5, 9, 1, 14, 2}, 2);
  for (const auto kind : {DecoderLayerKind::attention, DecoderLayerKind::ssru}) {
    auto options = test::small_options();
    options.decoder_layer = kind;
    const auto model = test::model_of(options);
    std::vector<double> first;
    for (const auto& way : all_ways(model)) {
      CAPTURE(nlohmann::json(kind).dump(), way.name);
      const auto worker = way.model->make_worker({});
      const auto given = test::views(sources), wanted = test::views(targets);
      const auto whole = worker->log_probs(given, wanted);
      const auto stepped = step_by_step(*worker, sources, targets, way.search);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        REQUIRE(whole[i].size() == targets[i].size());
        CHECK(stepped[i] < 0.0);
        CHECK(sum_of(whole[i]) == test::Approx(stepped[i]).epsilon(1e-5).margin(1e-5));
      }
      if (first.empty()) first = stepped;
      for (std::size_t i = 0; i < targets.size(); ++i)
        CHECK(stepped[i] == test::Approx(first[i]).epsilon(1e-5).margin(1e-5));
    }
  }
}

TEST_CASE("in float64 both agree to ten digits with a pass over the whole target", "[property]") {
  const auto sources = test::sentences({7, 1, 12}, 3), targets = test::sentences({5, 9, 14}, 4);
  auto model = test::model_of(test::small_options());
  model->to(torch::kDouble);
  const torch::NoGradGuard no_gradient;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto row = [](const Ids& ids) {
      return torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())).unsqueeze(0);
    };
    const auto source = row(sources[i]), target = row(targets[i]);
    const auto input = torch::cat(
        {torch::full({1, 1}, SpecialIds{}.bos), target.narrow(1, 0, target.size(1) - 1)}, 1);
    const auto log_probs = torch::log_softmax(
        model->forward(source, torch::ones_like(source, torch::kBool), input), -1);
    const auto expected = log_probs.gather(2, target.unsqueeze(2)).sum().item<double>();
    for (const bool cache : {true, false}) {
      CAPTURE(i, cache);
      SearchOptions search;
      search.cache = cache;
      const auto worker = module_model(model, search)->make_worker({});
      CHECK(step_by_step(*worker, {sources[i]}, {targets[i]}, search).front() ==
            test::Approx(expected).epsilon(1e-10));
    }
  }
}

TEST_CASE("what a search finds has the score that scoring it gives", "[property]") {
  const auto sources = test::sentences({7, 1, 12, 3}, 5);
  const auto model = test::model_of(test::small_options());
  for (const auto& way : all_ways(model)) {
    CAPTURE(way.name);
    auto search = way.search;
    search.beam_size = search.n_best = 3;
    search.unknown = UnknownRule::keep;
    const auto worker = way.model->make_worker({});
    const auto given = test::views(sources);
    const std::vector<std::int64_t> limits(sources.size(), 9);
    const auto found = run_search(*worker->start(given, search), {.max_lengths = limits}, search);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const auto& hypothesis : found[i]) {
        const std::vector<Ids> source = {sources[i]}, target = {hypothesis.ids};
        const auto one = test::views(source), wanted = test::views(target);
        CHECK(sum_of(worker->log_probs(one, wanted).front()) ==
              test::Approx(hypothesis.log_prob).epsilon(1e-5).margin(1e-5));
      }
  }
}

}  // namespace chain_rule_test
