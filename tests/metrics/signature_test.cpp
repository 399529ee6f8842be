#include "dragoman/metrics/signature.h"

#include "support/catch.h"

namespace signature_test {

using namespace dragoman;

TEST_CASE("common keys come first in a fixed order, the version last", "[unit]") {
  const Signature signature(
      {.references = 3, .bootstrap = 200, .randomization = 500, .seed = 12345},
      {{"case", "c", "lc"}});
  CHECK(signature.text() == "nrefs:3|bs:200|ar:500|seed:12345|case:lc|version:2.6.0");
  CHECK(signature.short_text() == "#:3|bs:200|ar:500|rs:12345|c:lc|v:2.6.0");
}

TEST_CASE("a varying number of references is reported as such", "[unit]") {
  CHECK(Signature({.references = 0}, {}).text() == "nrefs:var|version:2.6.0");
}

}  // namespace signature_test
