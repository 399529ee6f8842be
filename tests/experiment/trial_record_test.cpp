#include "dragoman/experiment/trial_record.h"

#include "support/catch.h"

#include <map>
#include <string>

namespace trial_record_test {

using namespace dragoman;

TEST_CASE("gradient ratios are those of the first layer to the last, of each stack", "[unit]") {
  TrialRecord record{.gradients = {{"encoder", 1, 0.5, 0.25},
                                   {"encoder", 2, 1.0, 1.0},
                                   {"decoder", 1, 0.0, 0.5},
                                   {"decoder", 2, 2.0, 0.0}}};
  add_gradient_ratios(record);
  CHECK(record.values == std::map<std::string, double>{{"gradient_ratio_initial", 0.5},
                                                       {"gradient_ratio", 0.25},
                                                       {"decoder_gradient_ratio_initial", 0.0},
                                                       {"decoder_gradient_ratio", 0.0}});
}

TEST_CASE("some layers of heads are compared with the others", "[unit]") {
  TrialRecord record;
  for (const double i : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0})
    record.heads.push_back({.layer = static_cast<std::int64_t>(i),
                            .distance = i * i,
                            .neighbours = 1.0 / i,
                            .relations = i == 2.0 || i == 3.0 ? 0.5 : 0.25});
  add_layer_differences(record);
  CHECK(record.values.at("neighbours_first") == test::Approx(1.0 - 1.45 / 5.0));
  CHECK(record.values.at("relations_middle") == test::Approx(0.25));
  CHECK(record.values.at("distance_upper") == test::Approx((16.0 + 25 + 36 - 1 - 4 - 9) / 3.0));

  TrialRecord two{.heads = {{.layer = 1, .distance = 1.0}, {.layer = 2, .distance = 3.0}}};
  add_layer_differences(two);
  CHECK(two.values ==
        std::map<std::string, double>{{"neighbours_first", 0.0}, {"distance_upper", 2.0}});
  TrialRecord one{.heads = {{.layer = 1}}}, none;
  add_layer_differences(one);
  add_layer_differences(none);
  CHECK(one.values.empty());
  CHECK(none.values.empty());
}

}  // namespace trial_record_test
