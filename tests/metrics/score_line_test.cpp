#include "dragoman/metrics/score_line.h"

#include "support/catch.h"

namespace score_line_test {

using namespace dragoman;

TEST_CASE("a score line matches sacreBLEU's", "[unit]") {
  ScoreReport report{.name = "BLEU",
                     .signature = "nrefs:1|version:2.6.0",
                     .score = 45.34,
                     .details = "81.8/66.7 (BP = 1.000)"};
  CHECK(score_line(report, 1) == "BLEU|nrefs:1|version:2.6.0 = 45.3 81.8/66.7 (BP = 1.000)");
  report.interval = ConfidenceInterval{.mean = 45.16, .half_width = 1.12};
  report.details.clear();
  CHECK(score_line(report, 1) == "BLEU|nrefs:1|version:2.6.0 = 45.3 (μ = 45.2 ± 1.1)");
}

TEST_CASE("an interval around zero is not shown", "[unit]") {
  CHECK(score_text(0.0, ConfidenceInterval{}, 2) == "0.00");
}

}  // namespace score_line_test
