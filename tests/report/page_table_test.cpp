#include "dragoman/report/page_table.h"

#include "support/catch.h"

namespace page_table_test {

using namespace dragoman;

TEST_CASE("a row that tells nothing of any column is left out, and so is a table without rows",
          "[unit]") {
  PageTable table{.headings = {"", "one"}};
  table.add({"seed", ""});
  CHECK(table.html().empty());
  table.add({"seed", "1"});
  CHECK(table.html().find("<th scope=\"row\">seed</th><td data-label=\"one\">1</td>") !=
        std::string::npos);
}

TEST_CASE("a cell is labelled with its heading and that of its group", "[unit]") {
  PageTable table{.headings = {"words", "BLEU", "BLEU"},
                  .groups = {{.heading = "", .columns = 1}, {.heading = "a"}, {.heading = "b"}}};
  table.rows = {{"1", "2", "3"}};
  const auto html = table.html();
  CHECK_THAT(html,
             test::contains(
                 "<thead><tr><td colspan=\"1\"></td><th scope=\"colgroup\" colspan=\"1\">a</th>"));
  CHECK_THAT(html,
             test::contains(
                 "<th scope=\"row\" data-label=\"words\">1</th><td data-label=\"BLEU, a\">2</td>"
                 "<td data-label=\"BLEU, b\">3</td>"));
}

TEST_CASE("a row has its first cell as heading, unless that is empty", "[unit]") {
  PageTable table{.headings = {"option", "value"}};
  table.rows = {{"seed", "1"}, {"", "2"}};
  CHECK_THAT(table.html(),
             test::contains("<tr><th scope=\"row\" data-label=\"option\">seed</th><td") &&
                 test::contains("<tr><td data-label=\"option\"></td><td"));
}

TEST_CASE("no text of a table becomes markup", "[unit]") {
  const std::string text = "<b>&\"";
  PageTable table{.headings = {text, text}, .groups = {{.heading = text, .columns = 2}}};
  table.rows = {{text, text}};
  const auto html = table.html();
  CHECK(html.find("<b>") == std::string::npos);
  CHECK(html.find("&\"") == std::string::npos);
  CHECK_THAT(html, test::contains("&lt;b&gt;&amp;&quot;"));
}

TEST_CASE("a text of any language has a direction of its own", "[unit]") {
  PageTable table{.headings = {"from", "text"}, .text_column = 1};
  table.rows = {{"1", "<b>"}};
  CHECK_THAT(table.html(),
             test::contains("<th scope=\"row\" data-label=\"from\">1</th><td data-label=\"text\">"
                            "<bdi dir=\"auto\">&lt;b&gt;</bdi></td>"));
}

}  // namespace page_table_test
