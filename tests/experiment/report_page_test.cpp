#include "dragoman/experiment/report_page.h"

#include "experiment/reported_result.h"
#include "support/catch.h"

namespace report_page_test {

using namespace dragoman;
using test::facts, test::has, test::reported;

TEST_CASE("the page escapes all text", "[unit]") {
  const auto page = report_page({reported()}, facts);
  CHECK(has(page, "&lt;b&gt;|bold_"));
  CHECK(has(page, "bold &lt;i&gt;wins&lt;/i&gt;"));
  CHECK_FALSE(has(page, "<b>"));
  CHECK_FALSE(has(page, "<i>"));
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "href=\"http"));
  CHECK_FALSE(has(page, "src="));
}

TEST_CASE("the page has the verdict and a picture of each figure", "[unit]") {
  const auto page = report_page({reported()}, facts);
  CHECK(has(page, "class=\"verdict confirmed\""));
  std::size_t pictures = 0;
  for (auto at = page.find("<figure>"); at != std::string::npos; at = page.find("<figure>", at + 1))
    ++pictures;
  CHECK(pictures == 8);
}

TEST_CASE("the page counts the verdicts before all else, with a sign and a word for each",
          "[unit]") {
  auto result = reported();
  auto& claims = result.experiment.claims;
  claims.push_back(claims[0]);
  claims.push_back({.says = "none wins",
                    .measure = "bleu",
                    .compare = {{"none", Expectation::higher, "plain"}}});
  const auto page = report_page({result}, facts);
  const auto counts = page.find("<ul class=\"counts\">");
  REQUIRE(counts != std::string::npos);
  CHECK(counts < page.find("<table"));
  CHECK(has(page, "<li class=\"verdict confirmed\"><span>2 confirmed</span></li>"));
  CHECK(has(page, "<li class=\"verdict not-measured\"><span>1 not measured</span></li>"));
  CHECK_FALSE(has(page, "<li class=\"verdict not-confirmed\">"));
  for (const char* name : {"confirmed", "not-confirmed", "within-noise", "not-measured"})
    CHECK(has(page, std::string(".") + name + " span::before { content: "));
}

TEST_CASE("cells of the page name their columns, for screens without room for them", "[unit]") {
  const auto page = report_page({reported()}, facts);
  CHECK(has(page, "<td data-label=\"BLEU\">20.10 ± 0.14</td>"));
  CHECK(has(page, "@media (max-width: 40rem)"));
}

TEST_CASE("the claims of the page are headings of their rows, and its notes have a style",
          "[unit]") {
  const auto page = report_page({reported()}, facts);
  CHECK(has(page, "<th scope=\"row\">bold &lt;i&gt;wins&lt;/i&gt;</th><td class=\"verdict"));
  CHECK(has(page, "<p class=\"faint\">Error bars"));
  CHECK(has(page, ".faint {"));
}

}  // namespace report_page_test
