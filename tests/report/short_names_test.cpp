#include "dragoman/report/short_names.h"

#include "support/catch.h"

#include <string>
#include <vector>

namespace short_names_test {

using namespace dragoman;

using Names = std::vector<std::string>;

TEST_CASE("names of up to 22 characters stay whole, longer ones keep both ends", "[unit]") {
  CHECK(short_names({"tiny", "a-name-of-22-character"}) == Names{"tiny", "a-name-of-22-character"});
  CHECK(short_names({"a-name-of-23-characters", "b"}) == Names{"a-name-of-23…haracters", "b"});
  CHECK(short_names({}).empty());
}

TEST_CASE("shortened names count characters, not bytes", "[unit]") {
  const std::string letters = "äöüäöüäöüäöüäöüäöüäöüä";  // 22
  CHECK(short_names({letters}) == Names{letters});
  CHECK(short_names({letters + "öü"}) == Names{"äöüäöüäöüäöü…äöüäöüäöü"});
}

TEST_CASE("names whose short forms are the same stay whole", "[unit]") {
  const Names alike = {"experiment-2026-first-variant-a", "experiment-2026-other-variant-a"};
  CHECK(short_names(alike) == alike);
  CHECK(short_names({alike.front(), "b"}).front() == "experiment-2…variant-a");
}

}  // namespace short_names_test
