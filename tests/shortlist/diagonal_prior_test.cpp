#include "dragoman/shortlist/diagonal_prior.h"

#include "support/catch.h"

#include <cmath>
#include <numeric>

namespace diagonal_prior_test {

using dragoman::DiagonalPrior;
using test::Approx;

TEST_CASE("the prior leaves eight per cent to no origin and falls away from the diagonal",
          "[unit]") {
  const DiagonalPrior prior{4.0};
  std::vector<double> row(6);
  prior.fill(2, 5, row);
  CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(0.92));
  // 3/5 is nearest to 4/6, the fourth.
  CHECK(row[3] > row[2]);
  CHECK(row[3] > row[4]);
  CHECK(row[0] / row[1] == Approx(std::exp(-4.0 / 6.0)));
}

TEST_CASE("without tension all origins are equally probable", "[unit]") {
  std::vector<double> row(4);
  DiagonalPrior{}.fill(0, 9, row);
  for (const double value : row) CHECK(value == Approx(0.23));
}

TEST_CASE("the tension that made the distances is found again", "[unit]") {
  const dragoman::LengthCounts lengths{{{10, 12}, 5}, {{7, 7}, 2}};
  const DiagonalPrior truth{6.0};
  double sum = 0.0, pieces = 0.0;
  for (const auto& [length, pairs] : lengths)
    for (std::size_t i = 0; i < length.first; ++i) {
      sum += static_cast<double>(pairs) * truth.expected_distance(i, length.first, length.second);
      pieces += static_cast<double>(pairs);
    }
  double tension = 4.0;
  for (int i = 0; i < 20; ++i) tension = dragoman::fitted_tension(tension, sum / pieces, lengths);
  CHECK(tension == Approx(6.0).epsilon(0.02));
  CHECK(dragoman::fitted_tension(4.0, 10.0, lengths) == 0.1);
}

}  // namespace diagonal_prior_test
