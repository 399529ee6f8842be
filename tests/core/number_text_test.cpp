#include "dragoman/core/number_text.h"

#include "support/catch.h"

namespace number_text_test {

using namespace dragoman;

TEST_CASE("numbers are grouped by thousands", "[unit]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-123456) == "-123,456");
}

TEST_CASE("sizes have a unit that people read", "[unit]") {
  CHECK(bytes_text(8000) == "8 kB");
  CHECK(bytes_text(2.5e6) == "2.5 MB");
  CHECK(bytes_text(23e6) == "23 MB");
  CHECK(bytes_text(999.9e6) == "1.0 GB");
  CHECK(bytes_text(1.3e9) == "1.3 GB");
}

}  // namespace number_text_test
