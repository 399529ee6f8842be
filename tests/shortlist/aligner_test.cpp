#include "dragoman/shortlist/aligner.h"

#include "shortlist/synthetic_bitext.h"
#include "support/catch.h"

#include <algorithm>
#include <map>

namespace aligner_test {

using namespace dragoman;

TEST_CASE("the candidates of a source piece are what occurs with it", "[unit]") {
  Bitext text;
  text.add(std::vector{4, 5, 4}, std::vector{6, 7});
  text.add(std::vector{5}, std::vector{8});
  const CandidatePairs pairs(text, {.source = 10, .target = 10}, 1);
  CHECK(pairs.size() == 5);
  std::vector<std::uint32_t> indices;
  pairs.find(std::vector{4, 5}, std::vector{8, 6}, indices);
  REQUIRE(indices.size() == 4);
  CHECK(indices[0] == CandidatePairs::none);
  CHECK(pairs.target_of(indices[1]) == 6);
  CHECK(pairs.target_of(indices[2]) == 8);
  CHECK(indices[2] >= pairs.begin_of(5));
}

TEST_CASE("a piece that occurs with very many keeps the most strongly associated ones", "[unit]") {
  Bitext text;
  const auto most = static_cast<std::int32_t>(CandidatePairs::most_of_source);
  // Target `most` + 100 occurs with source 4 only, the others with source 5 as often.
  for (std::int32_t t = 0; t < most + 100; ++t) {
    text.add(std::vector{4}, std::vector{t, most + 100});
    text.add(std::vector{5}, std::vector{t});
  }
  const CandidatePairs pairs(text, {.source = 6, .target = most + 101}, 1);
  CHECK(pairs.begin_of(5) - pairs.begin_of(4) == CandidatePairs::most_of_source);
  CHECK(pairs.target_of(pairs.begin_of(5) - 1) == most + 100);
}

TEST_CASE("the aligner finds the translations of a synthetic language", "[unit]") {
  const auto text = test::synthetic_bitext(600);
  Aligner aligner(text, test::synthetic_vocabulary().sizes, 2);
  aligner.train();
  const auto links = aligner.count_links();
  const auto& pairs = aligner.pairs();
  std::uint64_t right = 0, all = 0;
  for (std::size_t s = 4; s < pairs.sources(); ++s) {
    std::size_t best = pairs.begin_of(s);
    for (auto k = best; k < pairs.begin_of(s + 1); ++k) {
      if (links[k] > links[best]) best = k;
      all += links[k];
      if (pairs.target_of(k) == test::translation_of(static_cast<std::int32_t>(s)))
        right += links[k];
    }
    CAPTURE(s);
    CHECK(pairs.target_of(best) == test::translation_of(static_cast<std::int32_t>(s)));
  }
  CHECK(static_cast<double>(right) > 0.95 * static_cast<double>(all));
  CHECK(aligner.to_target().prior.tension > 4.0);
}

TEST_CASE("probabilities of one given piece are less than one together", "[property]") {
  const auto text = test::synthetic_bitext(100);
  Aligner aligner(text, test::synthetic_vocabulary().sizes, 1);
  aligner.train();
  const auto& pairs = aligner.pairs();
  std::map<std::int32_t, double> of_target;
  for (std::size_t s = 4; s < pairs.sources(); ++s) {
    double of_source = 0.0;
    for (auto k = pairs.begin_of(s); k < pairs.begin_of(s + 1); ++k) {
      of_source += static_cast<double>(aligner.to_target().probability[k]);
      of_target[pairs.target_of(k)] += static_cast<double>(aligner.to_source().probability[k]);
    }
    CHECK(of_source > 0.5);
    CHECK(of_source < 1.0001);
  }
  for (const auto& [target, sum] : of_target) CHECK(sum < 1.0001);
}

TEST_CASE("the number of threads changes no bit of the alignment", "[property]") {
  const auto text = test::synthetic_bitext(3000);
  Aligner one(text, test::synthetic_vocabulary().sizes, 1);
  Aligner many(text, test::synthetic_vocabulary().sizes, 7);
  one.train();
  many.train();
  CHECK(one.to_target().probability == many.to_target().probability);
  CHECK(one.to_source().probability == many.to_source().probability);
  CHECK(one.to_target().of_none == many.to_target().of_none);
  CHECK(one.to_target().prior.tension == many.to_target().prior.tension);
  CHECK(one.count_links() == many.count_links());
}

}  // namespace aligner_test
