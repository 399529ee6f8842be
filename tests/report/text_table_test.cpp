#include "dragoman/report/text_table.h"

#include "support/catch.h"

namespace text_table_test {

using namespace dragoman;

TEST_CASE("a table has its first column left and its numbers right", "[unit]") {
  CHECK(text_table({{"head", "entropy"}, {"日", "0.5"}, {"long one"}}) ==
        "head      entropy\n"
        "日            0.5\n"
        "long one\n");
}

TEST_CASE("a number that rounds to zero has no sign", "[unit]") {
  CHECK(decimal(-0.00004, 4) == "0.0000");
  CHECK(decimal(-0.00005001, 4) == "-0.0001");
  CHECK(decimal(12.5, 0) == "12");
  CHECK(decimal(-1.25, 1) == "-1.2");
}

}  // namespace text_table_test
