#include "dragoman/search/token_sampler.h"

#include "support/golden.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace token_sampler_test {

namespace {

using dragoman::Candidate;
using dragoman::SearchOptions;
using dragoman::token_at;
using dragoman::TokenSampler;

constexpr double forbidden = -std::numeric_limits<double>::infinity();

/// Probabilities of all tokens, 0 for forbidden ones.
template <typename Scalar>
std::vector<double> probabilities(const std::vector<Scalar>& logits, const SearchOptions& options) {
  TokenSampler sampler(options);
  std::vector<double> all(logits.size(), 0.0);
  for (const auto& token : sampler.distribution(std::span<const Scalar>(logits)))
    all[static_cast<std::size_t>(token.index)] = token.value;
  return all;
}

SearchOptions filter(double temperature, std::int64_t top_k, double top_p) {
  SearchOptions options;
  options.temperature = temperature;
  options.top_k = top_k;
  options.top_p = top_p;
  return options;
}

void check_filters(const nlohmann::json& golden) {
  const auto logits = golden.at("inputs").at("logits").at("data").get<std::vector<double>>();
  const std::vector<float> in_float(logits.begin(), logits.end());
  for (const auto& run : test::golden_list(golden, "runs")) {
    const auto options = filter(run.at("temperature").get<double>(),
                                run.at("top_k").get<std::int64_t>(), run.at("top_p").get<double>());
    CAPTURE(options.temperature, options.top_k, options.top_p);
    const auto expected = run.at("probs").at("data").get<std::vector<double>>();
    const auto found = probabilities(logits, options),
               found_in_float = probabilities(in_float, options);
    REQUIRE(expected.size() == found.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      CHECK(found[i] == test::Approx(expected[i]).epsilon(1e-9).margin(1e-11));
      CHECK(found_in_float[i] == test::Approx(expected[i]).epsilon(1e-4).margin(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("temperature, top k and top p give the golden probabilities", "[golden]") {
  for (const auto& name : test::golden_names("sampling_filter")) {
    CAPTURE(name);
    check_filters(test::golden_case(name));
  }
}

TEST_CASE("top p applies to the probability that top k leaves", "[unit]") {
  // Probabilities 0.4, 0.3, 0.2, 0.1: of the best three, 0.77 is reached by two of 0.44 and 0.33.
  const std::vector<double> logits{std::log(0.1), std::log(0.4), std::log(0.2), std::log(0.3)};
  const auto found = probabilities(logits, filter(1.0, 3, 0.77));
  CHECK(found[0] == 0.0);
  CHECK(found[1] == test::Approx(4.0 / 7.0));
  CHECK(found[2] == 0.0);
  CHECK(found[3] == test::Approx(3.0 / 7.0));
}

TEST_CASE("among equal tokens those with smaller ids are kept", "[unit]") {
  const std::vector<double> logits(6, 0.5);
  CHECK(probabilities(logits, filter(1.0, 2, 1.0)) == std::vector<double>{0.5, 0.5, 0, 0, 0, 0});
  CHECK(probabilities(logits, filter(1.0, 0, 0.5))[3] == 0.0);
  CHECK(probabilities(logits, filter(1.0, 0, 0.5))[2] > 0.3);
}

TEST_CASE("a forbidden token has no share, and where all are forbidden nothing is drawn",
          "[unit]") {
  const auto found = probabilities(std::vector<double>{1.0, forbidden, 1.0}, filter(1.0, 0, 1.0));
  CHECK(found == std::vector<double>{0.5, 0.0, 0.5});
  TokenSampler sampler(SearchOptions{});
  const std::vector<double> none(3, forbidden);
  CHECK_FALSE(token_at(sampler.distribution(std::span<const double>(none)), 0.5).has_value());
}

TEST_CASE("a number from 0 to below 1 falls into the share of its token", "[unit]") {
  const std::vector<Candidate> shares{{0.0, 9}, {0.25, 4}, {0.0, 8}, {0.75, 6}, {0.0, 7}};
  CHECK(token_at(shares, 0.0) == 4);
  CHECK(token_at(shares, 0.2499) == 4);
  CHECK(token_at(shares, 0.25) == 6);
  CHECK(token_at(shares, 0.9999999999999999) == 6);
  const std::vector<Candidate> rounded{{0.3, 4}, {0.6999, 6}, {0.0, 7}};
  CHECK(token_at(rounded, 0.99999) == 6);
}

TEST_CASE("of all tokens the one is drawn into whose share the number falls", "[unit]") {
  std::vector<float> logits(1000);
  for (std::size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>((i * 7919) % 1000) / 100.0F;
  for (const std::size_t i : {0U, 64U, 500U, 999U}) logits[i] = static_cast<float>(forbidden);
  for (const double temperature : {0.5, 1.0, 3.0}) {
    TokenSampler sampler(filter(temperature, 0, 1.0));
    const auto shares = probabilities(logits, filter(temperature, 0, 1.0));
    for (int n = 0; n < 500; ++n) {
      const double u = (n + 0.5) / 500.0;
      const auto drawn = sampler.draw(std::span<const float>(logits), u);
      REQUIRE(drawn);
      const auto end = shares.begin() + *drawn;
      const double before = std::accumulate(shares.begin(), end, 0.0);
      CAPTURE(temperature, u, *drawn);
      CHECK(*end > 0.0);
      CHECK(before <= u + 1e-5);
      CHECK(before + *end >= u - 1e-5);
    }
    CHECK(sampler.draw(std::span<const float>(logits), 0.0) == 1);
    CHECK(sampler.draw(std::span<const float>(logits), 1.0) == 998);
  }
  const std::vector<float> none(100, static_cast<float>(forbidden));
  CHECK_FALSE(TokenSampler(SearchOptions{}).draw(std::span<const float>(none), 0.5));
}

TEST_CASE("a low temperature leaves only the most probable token, without overflow", "[unit]") {
  const auto found =
      probabilities(std::vector<float>{-80.0F, 3.0F, 90.0F, 89.0F}, filter(0.001, 0, 1.0));
  CHECK(found == std::vector<double>{0.0, 0.0, 1.0, 0.0});
}

}  // namespace token_sampler_test
