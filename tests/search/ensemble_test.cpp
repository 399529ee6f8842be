#include "dragoman/search/ensemble.h"

#include "dragoman/core/error.h"
#include "dragoman/search/beam_search.h"
#include "search/table_scorer.h"
#include "support/catch.h"

#include <ATen/ATen.h>

#include <limits>

namespace ensemble_test {

namespace {

using dragoman::beam_search;
using dragoman::EnsembleScorer;
using dragoman::NextTokenScorer;
using dragoman::SearchOptions;

at::Tensor random_log_probs(std::int64_t seed) {
  at::manual_seed(static_cast<std::uint64_t>(seed));
  return at::randn({8, 8, 8}, at::kDouble).log_softmax(-1);
}

EnsembleScorer ensemble_of(const std::vector<at::Tensor>& tables, std::int64_t sentences) {
  std::vector<std::unique_ptr<NextTokenScorer>> members;
  for (const auto& table : tables)
    members.push_back(
        std::make_unique<test::TableScorer>(table.clone(), sentences, test::table_bos));
  return EnsembleScorer(std::move(members));
}

/// The mean of the members, written into a copy of the first.
at::Tensor mean_log_probs(std::vector<at::Tensor> members) {
  std::vector<dragoman::Logits> logits;
  for (auto& member : members) {
    member = member.clone();
    if (member.dim() == 1) member = member.unsqueeze(0);
    logits.push_back(dragoman::readable_logits(member));
  }
  dragoman::replace_by_mean_log_probs(logits);
  return members.front();
}

}  // namespace

TEST_CASE("an ensemble's probabilities are the mean of its members'", "[unit]") {
  at::manual_seed(1);
  const std::vector<at::Tensor> logits{at::randn({3, 20}, at::kDouble) * 3.0,
                                       at::randn({3, 20}, at::kDouble),
                                       at::randn({3, 20}, at::kDouble) + 500.0};
  const auto expected =
      ((logits[0].softmax(-1) + logits[1].softmax(-1) + logits[2].softmax(-1)) / 3.0).log();
  CHECK(at::allclose(mean_log_probs(logits), expected, 1e-12, 1e-12));
}

TEST_CASE("an ensemble handles probabilities too small for float", "[unit]") {
  const auto sure = at::tensor({0.0F, -300.0F, -300.0F}),
             other = at::tensor({-300.0F, 0.0F, -300.0F});
  const auto mean = mean_log_probs({sure, other})[0];
  CHECK(mean[0].item<float>() == test::Approx(std::log(0.5)));
  CHECK(mean[2].item<float>() == test::Approx(-300.0));
}

TEST_CASE("the mean of three members in float32 is that in float64", "[unit]") {
  at::manual_seed(2);
  std::vector<at::Tensor> logits, wide;
  for (const double scale : {1.0, 5.0, 20.0}) {
    logits.push_back(at::randn({2, 77}) * scale);
    wide.push_back(logits.back().to(at::kDouble));
  }
  CHECK(at::allclose(mean_log_probs(logits).to(at::kDouble), mean_log_probs(wide), 1e-6, 2e-6));
}

TEST_CASE("an ensemble refuses members of different types or shapes", "[unit]") {
  const auto logits = at::zeros({2, 5});
  CHECK_THROWS_AS(mean_log_probs({logits, logits.to(at::kDouble)}), dragoman::ContractError);
  CHECK_THROWS_AS(mean_log_probs({logits, at::zeros({2, 6})}), dragoman::ContractError);
}

TEST_CASE("an ensemble refuses a member whose output is not finite", "[unit]") {
  auto bad = random_log_probs(1);
  bad[test::table_bos][test::table_bos][5] = std::numeric_limits<double>::quiet_NaN();
  auto scorer = ensemble_of({bad, random_log_probs(2)}, 1);
  const std::vector<std::int64_t> limits{5};
  CHECK_THROWS_WITH(beam_search(scorer, {.max_lengths = limits}, {}),
                    test::contains("NaN or infinite"));
}

TEST_CASE("searching with an ensemble equals searching with the mean model", "[property]") {
  const auto one = random_log_probs(3), other = random_log_probs(4);
  const auto mean = ((one.exp() + other.exp()) / 2.0).log();
  const std::vector<std::int64_t> limits{4, 12, 1, 9};
  SearchOptions options;
  options.n_best = 3;
  auto ensemble = ensemble_of({one, other}, 4);
  test::TableScorer single(mean, 4, test::table_bos);
  const auto found = beam_search(ensemble, {.max_lengths = limits}, options);
  const auto expected = beam_search(single, {.max_lengths = limits}, options);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t k = 0; k < expected[i].size(); ++k) {
      CHECK(found[i][k].ids == expected[i][k].ids);
      CHECK(found[i][k].score == test::Approx(expected[i][k].score).epsilon(1e-10));
    }
  }
}

}  // namespace ensemble_test
