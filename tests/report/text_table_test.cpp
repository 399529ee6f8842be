#include "dragoman/report/text_table.h"
#include "dragoman/core/quantity.h"

#include "support/catch.h"

namespace text_table_test {

using namespace dragoman;

TEST_CASE("a table has its first column left and its numbers right", "[unit]") {
  CHECK(text_table({{"head", "entropy"}, {"日", "0.5"}, {"long one"}}) ==
        "head      entropy\n"
        "日            0.5\n"
        "long one\n");
}

}  // namespace text_table_test
