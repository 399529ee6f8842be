#include "dragoman/search/path_search.h"

#include "dragoman/search/token_sampler.h"
#include "search/table_scorer.h"
#include "support/catch.h"

#include <ATen/ATen.h>

#include <map>
#include <set>

namespace sampling_test {

namespace {

using dragoman::Hypothesis;
using dragoman::sample;
using dragoman::SearchOptions;
using dragoman::SpecialIds;
using Ids = std::vector<std::int32_t>;

constexpr std::int64_t sampled_tokens = 9;

at::Tensor opinions(std::int64_t seed) {
  at::manual_seed(static_cast<std::uint64_t>(seed));
  return at::randn({sampled_tokens, sampled_tokens, sampled_tokens}, at::kDouble)
      .mul_(1.5)
      .log_softmax(-1);
}

SearchOptions sampling_options(std::int64_t samples) {
  SearchOptions options;
  options.sample = true;
  options.n_best = samples;
  return options;
}

/// Samples of sentences that all share one table.
std::vector<std::vector<Hypothesis>> draw_samples(const at::Tensor& table,
                                                  const SearchOptions& options,
                                                  const std::vector<std::int64_t>& limits,
                                                  const std::vector<std::uint64_t>& streams) {
  test::TableScorer scorer(table.clone(), std::ssize(limits), test::table_bos);
  return sample(scorer, {.max_lengths = limits, .streams = streams}, options);
}

/// Samples of one sentence.
std::vector<Hypothesis> draw_alone(const at::Tensor& table, const SearchOptions& options,
                                   std::int64_t limit, std::uint64_t stream) {
  return draw_samples(table, options, {limit}, {stream}).front();
}

/// The next token's probabilities by the definition, step by step.
std::vector<double> expected_shares(const at::Tensor& log_probs, const SearchOptions& options) {
  auto p = log_probs.clone();
  for (const auto forbidden : {SpecialIds{}.pad, SpecialIds{}.unk, test::table_bos})
    p[forbidden] = -1e9;
  p = (p / options.temperature).softmax(-1);
  const auto order = std::get<1>(p.sort(-1, true));
  if (options.top_k > 0)
    for (auto i = options.top_k; i < sampled_tokens; ++i) p[order[i].item<std::int64_t>()] = 0.0;
  p = p / p.sum();
  double reached = 0.0;
  for (std::int64_t i = 0; i < sampled_tokens; ++i) {
    auto one = p[order[i].item<std::int64_t>()];
    const auto share = one.item<double>();
    if (reached >= options.top_p) one.fill_(0.0);
    reached += share;
  }
  p = p / p.sum();
  return {p.const_data_ptr<double>(), p.const_data_ptr<double>() + sampled_tokens};
}

/// Sum of (found - expected)^2 / expected; a token of probability 0 must not occur.
double chi_square(const std::map<std::int32_t, double>& counts, const std::vector<double>& shares,
                  double drawn) {
  double sum = 0.0;
  for (std::int32_t token = 0; token < sampled_tokens; ++token) {
    const double expected = shares[static_cast<std::size_t>(token)] * drawn;
    const double found = counts.count(token) > 0 ? counts.at(token) : 0.0;
    CAPTURE(token, found, expected);
    if (expected == 0.0) CHECK(found == 0.0);
    if (expected > 0.0) sum += (found - expected) * (found - expected) / expected;
  }
  return sum;
}

}  // namespace

TEST_CASE("token frequencies follow temperature, top k and top p", "[property]") {
  const auto table = opinions(5);
  for (auto [temperature, top_k, top_p] :
       {std::tuple{1.0, 0, 1.0}, {0.7, 0, 1.0}, {1.5, 4, 1.0}, {1.0, 0, 0.8}, {1.3, 5, 0.9}}) {
    CAPTURE(temperature, top_k, top_p);
    auto options = sampling_options(1000);
    options.temperature = temperature;
    options.top_k = top_k;
    options.top_p = top_p;
    std::vector<std::uint64_t> streams;
    for (std::uint64_t i = 0; i < 20; ++i) streams.push_back(i);
    std::map<std::int32_t, double> first, second;
    double seconds = 0.0;
    const auto given = 4;
    for (const auto& samples :
         draw_samples(table, options, std::vector<std::int64_t>(20, 2), streams))
      for (const auto& one : samples) {
        ++first[one.ids[0]];
        if (one.ids[0] != given || one.ids.size() < 2) continue;
        ++second[one.ids[1]];
        ++seconds;
      }
    // 6 degrees of freedom at most: 22.5 is exceeded once in a thousand times.
    CHECK(chi_square(first, expected_shares(table[test::table_bos][test::table_bos], options),
                     20000.0) < 22.5);
    CHECK(chi_square(second, expected_shares(table[test::table_bos][given], options), seconds) <
          22.5);
  }
}

TEST_CASE("a sentence's samples depend on its stream, not on the batch", "[property]") {
  const auto table = opinions(1);
  const std::vector<std::int64_t> limits{12, 3, 7, 12, 1};
  const std::vector<std::uint64_t> streams{11, 22, 33, 11, 55};
  const auto together = draw_samples(table, sampling_options(5), limits, streams);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    CAPTURE(i);
    const auto alone = draw_alone(table, sampling_options(5), limits[i], streams[i]);
    const auto fewer = draw_alone(table, sampling_options(2), limits[i], streams[i]);
    REQUIRE(together[i].size() == 5);
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(together[i][k].ids == alone[k].ids);
      CHECK(together[i][k].log_prob == alone[k].log_prob);
    }
    for (std::size_t k = 0; k < 2; ++k) CHECK(fewer[k].ids == alone[k].ids);
  }
  CHECK(together[0][0].ids == together[3][0].ids);
}

TEST_CASE("samples of one sentence differ from each other and between streams", "[property]") {
  const auto table = opinions(2);
  std::set<Ids> different;
  for (const auto& one : draw_alone(table, sampling_options(50), 12, 1)) different.insert(one.ids);
  CHECK(different.size() > 20);
  CHECK(draw_alone(table, sampling_options(1), 12, 1)[0].ids !=
        draw_alone(table, sampling_options(1), 12, 2)[0].ids);
}

TEST_CASE("a sample's log-probability is the model's own, whatever the temperature", "[unit]") {
  const auto table = opinions(3);
  auto options = sampling_options(10);
  options.temperature = 2.0;
  options.top_k = 3;
  for (const auto& one : draw_alone(table, options, 8, 4)) {
    double sum = 0.0;
    std::int64_t before = test::table_bos, last = test::table_bos;
    for (const auto id : one.ids) {
      sum += table[before][last][id].item<double>();
      before = last;
      last = id;
    }
    CHECK(one.log_prob == test::Approx(sum).epsilon(1e-12));
    CHECK(one.score == one.log_prob);
    CHECK(one.finished == (one.ids.back() == 3));
  }
}

TEST_CASE("sampling from the most probable token alone is greedy search", "[property]") {
  const auto table = opinions(6);
  auto options = sampling_options(1);
  options.top_k = 1;
  test::TableScorer scorer(table.clone(), 1, test::table_bos);
  const auto greedy =
      dragoman::greedy_search(scorer, {.max_lengths = std::vector<std::int64_t>{12}}, {});
  CHECK(draw_alone(table, options, 12, 9)[0].ids == greedy[0][0].ids);
}

TEST_CASE("samples repeat no n-gram if no_repeat_ngram is set", "[unit]") {
  auto table = at::full({sampled_tokens, sampled_tokens, sampled_tokens}, -6.0, at::kDouble);
  table.select(2, 4).fill_(-0.2);
  table.select(2, 5).fill_(-1.8);
  const auto repeats = [&](std::int64_t n) {
    auto options = sampling_options(20);
    options.no_repeat_ngram = n;
    int count = 0;
    for (const auto& one : draw_alone(table, options, 10, 7)) {
      std::set<std::pair<std::int32_t, std::int32_t>> seen;
      for (std::size_t i = 0; i + 1 < one.ids.size(); ++i)
        count += seen.insert({one.ids[i], one.ids[i + 1]}).second ? 0 : 1;
    }
    return count;
  };
  CHECK(repeats(0) > 20);
  CHECK(repeats(2) == 0);
}

TEST_CASE("padding and BOS are never drawn", "[unit]") {
  auto table = opinions(8);
  table.select(2, 0).fill_(5.0);
  table.select(2, test::table_bos).fill_(4.0);
  for (const auto& one : draw_alone(table, sampling_options(50), 6, 3))
    for (const auto id : one.ids) CHECK((id != 0 && id != test::table_bos));
}

TEST_CASE("finished samples leave the batch", "[unit]") {
  auto table = at::full({sampled_tokens, sampled_tokens, sampled_tokens}, -1e9, at::kDouble);
  table.select(2, 4).fill_(0.0);
  test::TableScorer scorer(table, 3, test::table_bos);
  const auto found = sample(scorer,
                            {.max_lengths = std::vector<std::int64_t>{3, 1, 2},
                             .streams = std::vector<std::uint64_t>{1, 2, 3}},
                            sampling_options(2));
  CHECK(found[0][1].ids == Ids{4, 4, 4});
  CHECK(found[1][0].ids == Ids{4});
  CHECK(scorer.rows == 2 * (3 + 2 + 1));
}

}  // namespace sampling_test
