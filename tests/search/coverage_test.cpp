#include "dragoman/search/coverage.h"

#include "dragoman/decoding/model_scorers.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/search/beam_search.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/length_penalty.h"
#include "search/table_scorer.h"
#include "support/catch.h"

#include <torch/nn.h>

#include <algorithm>
#include <cmath>

namespace coverage_test {

namespace {

using dragoman::Hypothesis;
using dragoman::log_coverage_of_rows;
using dragoman::PaddedIds;
using dragoman::SearchOptions;
using dragoman::Transformer;
using Ids = std::vector<std::int32_t>;

/// A model whose attention is far from uniform.
Transformer looking_model(std::uint64_t seed) {
  torch::manual_seed(seed);
  dragoman::ModelOptions options;
  options.d_model = 16;
  options.d_ff = 32;
  options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  Transformer model(options, dragoman::VocabularySizes{20, 20});
  const torch::NoGradGuard no_gradient;
  for (auto& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(4.0);
  model->to(torch::kDouble);
  model->eval();
  return model;
}

PaddedIds sources_to_cover() {
  torch::manual_seed(11);
  auto ids = torch::randint(4, 20, {3, 12}, torch::kLong);
  const auto lengths = torch::tensor({12, 9, 7}).unsqueeze(1),
             places = torch::arange(12).unsqueeze(0);
  ids.masked_fill_(places.ge(lengths), 0);
  return {ids, ids.ne(0)};
}

SearchOptions covering(double beta) {
  SearchOptions options;
  options.n_best = 4;
  options.coverage_penalty = beta;
  return options;
}

std::vector<std::vector<Hypothesis>> search_covering(const std::vector<Transformer>& models,
                                                     const PaddedIds& source,
                                                     const SearchOptions& options) {
  std::vector<std::unique_ptr<dragoman::NextTokenScorer>> members;
  for (const auto& model : models) members.push_back(dragoman::make_scorer(model, source, options));
  dragoman::EnsembleScorer scorer(std::move(members));
  const std::vector<std::int64_t> limits(static_cast<std::size_t>(source.ids.size(0)), 6);
  return beam_search(scorer, {.max_lengths = limits}, options);
}

/// The sum over source tokens of ln(min(sum over target tokens, 1)), from one pass over the whole
/// hypothesis, in plain loops.
double plain_log_coverage(Transformer model, const PaddedIds& source, std::int64_t sentence,
                          const Ids& ids) {
  const auto length = source.mask[sentence].sum().item<std::int64_t>();
  const auto words = source.ids.narrow(0, sentence, 1).narrow(1, 0, length);
  auto input = torch::full({1, std::ssize(ids)}, 2, torch::kLong);
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    input[0][static_cast<std::int64_t>(i) + 1] = ids[i];
  dragoman::AttentionRecord record;
  const auto mask = torch::ones({1, length}, torch::kBool);
  model->decode(input, model->encode(words, mask), mask, &record);
  const auto weights = record.cross.back();  // [1, heads, target_len, source_len]
  double sum = 0.0;
  for (std::int64_t j = 0; j < length; ++j) {
    double paid = 0.0;
    for (std::int64_t i = 0; i < weights.size(2); ++i)
      for (std::int64_t head = 0; head < weights.size(1); ++head)
        paid += weights[0][head][i][j].item<double>() / static_cast<double>(weights.size(1));
    sum += std::log(std::min(paid, 1.0));
  }
  return sum;
}

}  // namespace

TEST_CASE("coverage is the sum of ln(min(attention, 1)) over real source tokens", "[unit]") {
  const auto attention =
      torch::tensor({0.5, 2.0, 0.25, 0.0, 1.0, 0.1, 0.0, 0.0}, torch::kDouble).view({2, 4});
  const auto one_each = torch::tensor({1, 1, 1, 0, 1, 1, 0, 0}, torch::kBool).view({2, 4});
  CHECK(log_coverage_of_rows(attention, one_each)[0] ==
        test::Approx(std::log(0.5) + std::log(0.25)));
  CHECK(log_coverage_of_rows(attention, one_each)[1] == test::Approx(std::log(0.1)));
  const auto two_beams = torch::tensor({true, true, true, true}).view({1, 4});
  CHECK(log_coverage_of_rows(attention, two_beams)[0] ==
        test::Approx(std::log(0.5) + std::log(0.25) + std::log(1e-30)));
  CHECK(std::isfinite(log_coverage_of_rows(attention.to(torch::kFloat), two_beams)[1]));
}

TEST_CASE("a hypothesis' score includes beta times its coverage, and orders the result",
          "[property]") {
  const auto model = looking_model(1);
  const auto source = sources_to_cover();
  const auto options = covering(0.3);
  const auto found = search_covering({model}, source, options);
  bool reordered = false;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < found[static_cast<std::size_t>(i)].size(); ++k) {
      CAPTURE(i, k);
      const auto& n_best = found[static_cast<std::size_t>(i)];
      const double plain = n_best[k].log_prob / length_penalty(options, std::ssize(n_best[k].ids));
      CHECK(n_best[k].score ==
            test::Approx(plain + 0.3 * plain_log_coverage(model, source, i, n_best[k].ids))
                .epsilon(1e-9));
      CHECK(n_best[k].score < plain);
      if (k == 0) continue;
      if (n_best[k].finished == n_best[k - 1].finished)
        CHECK(n_best[k].score <= n_best[k - 1].score);
      reordered |=
          plain > n_best[k - 1].log_prob / length_penalty(options, std::ssize(n_best[k - 1].ids));
    }
  CHECK(reordered);
}

TEST_CASE("coverage is the same with cached keys and values as from the whole prefix",
          "[property]") {
  const auto model = looking_model(2);
  auto options = covering(0.5);
  const auto cached = search_covering({model}, sources_to_cover(), options);
  options.cache = false;
  const auto whole = search_covering({model}, sources_to_cover(), options);
  for (std::size_t i = 0; i < cached.size(); ++i)
    for (std::size_t k = 0; k < cached[i].size(); ++k) {
      CHECK(cached[i][k].ids == whole[i][k].ids);
      CHECK(cached[i][k].score == test::Approx(whole[i][k].score).epsilon(1e-10));
    }
}

TEST_CASE("the coverage of an ensemble is the mean of its members' coverage", "[property]") {
  const std::vector<Transformer> models{looking_model(3), looking_model(4)};
  const auto source = sources_to_cover();
  const auto options = covering(0.4);
  const auto best = search_covering(models, source, options)[2][0];
  const double coverage = (plain_log_coverage(models[0], source, 2, best.ids) +
                           plain_log_coverage(models[1], source, 2, best.ids)) /
                          2.0;
  CHECK(best.score ==
        test::Approx(best.log_prob / length_penalty(options, std::ssize(best.ids)) + 0.4 * coverage)
            .epsilon(1e-9));
}

TEST_CASE("a coverage penalty needs a scorer that tracks coverage", "[unit]") {
  test::TableScorer scorer(torch::zeros({5, 5, 5}, torch::kDouble), 1, test::table_bos);
  const std::vector<std::int64_t> limits{3};
  CHECK_THROWS_WITH(beam_search(scorer, {.max_lengths = limits}, covering(0.1)),
                    test::contains("does not track coverage"));
}

}  // namespace coverage_test
