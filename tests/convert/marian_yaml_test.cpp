#include "dragoman/convert/marian_yaml.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <string>
#include <vector>

namespace marian_yaml_test {

using namespace dragoman;

TEST_CASE("Marian's YAML is read in each of its styles, and its words stay words", "[unit]") {
  const auto pieces = parse_marian_vocabulary(
      "\"</s>\": 0\n'it''s': 1\n? \"long\"\n: 2\ny: 3\non: 4\n\"\\u2581\\x41\\\"\": 5\n\":\": "
      "6\n~: 7\n",
      "v.yml");
  const std::vector<std::string> expected{"</s>", "it's", "long", "y", "on", "\u2581A\"", ":", "~"};
  REQUIRE(pieces.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(pieces[i].first == expected[i]);
    CHECK(pieces[i].second == static_cast<std::int64_t>(i));
  }
  const auto options = parse_marian_yaml(
      "a: 1\nlist:\n  - x\n  - \"y z\"\nempty: \"\"\ninline: [p, 'q']\nnone:\n  []\nno: yes\n",
      "o.yml");
  CHECK(options.at("list") == std::vector<std::string>{"x", "y z"});
  CHECK(options.at("inline") == std::vector<std::string>{"p", "q"});
  CHECK(options.at("empty") == std::vector<std::string>{""});
  CHECK(options.at("none").empty());
  CHECK(options.at("no") == std::vector<std::string>{"yes"});
  for (const std::string bad : {"a: x\n", "a\n", "\"a: 1\n", "? a\n", "a: -1\n", "\"\\xZZ\": 1\n",
                                "\"\\uD83D\": 1\n", "\"\\z\": 1\n", "\"a\\"})
    CHECK_THROWS_WITH(parse_marian_vocabulary(bad, "v.yml"), test::contains("v.yml: line "));
  CHECK_THROWS_WITH(parse_marian_yaml("a: 1\nb: 2\na: 3\n", "o.yml"),
                    test::contains("o.yml: line 3: has the key a once more"));
}

TEST_CASE("keys may be quoted, and comments end lines, but not inside of quotes", "[unit]") {
  const auto options = parse_marian_yaml(
      "\"a b\": 1  # one\n'c:d' : 'x # y' # z\nlist: [p, \"q # r\", 's, t' , u v]\t# s\nplain: "
      "it's#1\n"
      "# all of it\nitems: # of a list\n  - 'it''s # 1' # 2\n",
      "o.yml");
  CHECK(options.at("a b") == std::vector<std::string>{"1"});
  CHECK(options.at("c:d") == std::vector<std::string>{"x # y"});
  CHECK(options.at("list") == std::vector<std::string>{"p", "q # r", "s, t", "u v"});
  CHECK(options.at("plain") == std::vector<std::string>{"it's#1"});
  CHECK(options.at("items") == std::vector<std::string>{"it's # 1"});
  for (const std::string bad :
       {"\"a\" b: 1\n", "\"a\"\n", "\"a: 1\n", "a: ['b' c]\n", "a: ['b, c]\n"})
    CHECK_THROWS_WITH(parse_marian_yaml(bad, "o.yml"), test::contains("o.yml: line 1: "));
}

TEST_CASE("every escape of YAML is the character that it stands for", "[unit]") {
  const auto pieces = parse_marian_vocabulary(
      "\"\\_\\N\\L\\P\": 0\n\"\\t\\/\\\\\\\"\": 1\n\"\\U0001F600\\xE9\": 2\n", "v.yml");
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].first == "\u00A0\u0085\u2028\u2029");
  CHECK(pieces[1].first == "\t/\\\"");
  CHECK(pieces[2].first == "\U0001F600\u00E9");
}

}  // namespace marian_yaml_test
