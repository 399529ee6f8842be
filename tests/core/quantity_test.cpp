#include "dragoman/core/quantity.h"

#include "support/catch.h"

#include <limits>
#include <locale>
#include <string>

namespace quantity_test {

using namespace dragoman;

TEST_CASE("sizes have a unit that people read", "[unit]") {
  CHECK(bytes_text(8000) == "8 kB");
  CHECK(bytes_text(2.5e6) == "2.5 MB");
  CHECK(bytes_text(23e6) == "23 MB");
  CHECK(bytes_text(999.9e6) == "1.0 GB");
  CHECK(bytes_text(1.3e9) == "1.3 GB");
  CHECK(flops_text(5.68911e11) == "569 GFLOP");
  CHECK(flops_text(2.5e15) == "2.5 PFLOP");
}

TEST_CASE("thousands are set apart", "[unit]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-1234) == "-1,234");
  CHECK(grouped(-123) == "-123");
}

TEST_CASE("large counts are short", "[unit]") {
  CHECK(short_count(0.0) == "0");
  CHECK(short_count(987.4) == "987");
  CHECK(short_count(999.6) == "1.0k");
  CHECK(short_count(3349.0) == "3.3k");
  CHECK(short_count(9960.0) == "10k");
  CHECK(short_count(14207.0) == "14k");
  CHECK(short_count(2.1e6) == "2.1M");
  CHECK(short_count(1e20) == "100000000T");
}

TEST_CASE("durations are told in their two largest units", "[unit]") {
  CHECK(duration_text(11.6) == "12 s");
  CHECK(duration_text(200.0) == "3 min 20 s");
  CHECK(duration_text(84.0 * 3600.0 + 300.0) == "84 h 5 min");
  CHECK(duration_text(100.0 * 3600.0) == "4 days 4 h");
  CHECK(duration_text(1500.6 * 86400.0) == "1,501 days");
  CHECK(short_duration(11.6) == "12s");
  CHECK(short_duration(160.0) == "2m40");
  CHECK(short_duration(3725.0) == "1h02");
  CHECK(short_duration(-3.0) == "0s");
  CHECK(short_duration(std::numeric_limits<double>::infinity()).ends_with("h46"));
}

TEST_CASE("a noun has its plural unless there is one of it", "[unit]") {
  CHECK(counted(1, "update") == "1 update");
  CHECK(counted(0, "update") == "0 updates");
  CHECK(counted(1234, "pair") == "1,234 pairs");
}

TEST_CASE("numbers are rounded as C rounds them, however large", "[unit]") {
  CHECK(decimal(3.14159, 2) == "3.14");
  CHECK(decimal(2.5, 0) == "2");
  CHECK(decimal(12.5, 0) == "12");
  CHECK(decimal(99.999, 2) == "100.00");
  CHECK(decimal(-0.125, 2) == "-0.12");
  CHECK(decimal(-1e308, 1).size() == 312);
  CHECK(decimal(std::numeric_limits<double>::infinity(), 2) == "inf");
}

TEST_CASE("a number that rounds to zero has no sign", "[unit]") {
  CHECK(decimal(-0.00004, 4) == "0.0000");
  CHECK(decimal(-0.00005001, 4) == "-0.0001");
  CHECK(decimal(-0.0, 0) == "0");
  CHECK(signed_decimal(-0.003, 2) == "+0.00");
  CHECK(signed_decimal(-0.03, 2) == "-0.03");
  CHECK(signed_decimal(1.25, 1) == "+1.2");
}

TEST_CASE("numbers have a decimal point in every locale", "[unit]") {
  class Comma : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const auto before = std::locale::global(std::locale(std::locale(), new Comma));
  const auto text = decimal(0.5, 1);
  std::locale::global(before);
  CHECK(text == "0.5");
}

TEST_CASE("the time of day has eight characters", "[unit]") {
  const auto time = clock_text();
  REQUIRE(time.size() == 8);
  CHECK(time[2] == ':');
  CHECK(time[5] == ':');
}

}  // namespace quantity_test
