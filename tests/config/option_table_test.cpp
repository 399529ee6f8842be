#include "dragoman/config/option_table.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "support/catch.h"

#include <algorithm>
#include <set>
#include <string>

namespace option_table_test {

using namespace dragoman;
using nlohmann::json;
using test::contains;

namespace {

void add_keys(const json& options, const std::string& prefix, std::set<std::string>& keys) {
  for (const auto& [name, value] : options.items()) {
    const auto key = prefix.empty() ? name : prefix + '.' + name;
    if (value.is_object())
      add_keys(value, key, keys);
    else
      keys.insert(key);
  }
}

json::json_pointer pointer_of(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return json::json_pointer('/' + key);
}

/// The defaults with `value` at `key`, as text.
std::string text_with(const std::string& key, const json& value) {
  json options = default_options();
  options[pointer_of(key)] = value;
  return options.dump();
}

bool is_numeric(const std::string& key) {
  const auto type = option_type(key);
  return type.find("number") != std::string::npos;
}

}  // namespace

TEST_CASE("the table has exactly the options there are", "[unit]") {
  std::set<std::string> keys, rows;
  add_keys(default_options(), "", keys);
  for (const auto& row : option_table()) rows.insert(row.key);
  CHECK(rows == keys);
  CHECK(rows.size() == option_table().size());
}

TEST_CASE("each option has a sentence, a type and, if it is a number, a unit and a range",
          "[unit]") {
  for (const auto& row : option_table()) {
    CAPTURE(row.key);
    CHECK(row.meaning.size() >= 15);
    CHECK(row.meaning.back() == '.');
    CHECK(!option_type(row.key).empty());
    CHECK(is_numeric(row.key) == row.range.has_value());
    CHECK(is_numeric(row.key) == !row.unit.empty());
  }
}

TEST_CASE("each number outside its range is refused with the range", "[unit]") {
  for (const auto& row : option_table()) {
    if (!row.range || row.key == "seed") continue;  // a seed may be as large as a number can be
    CAPTURE(row.key);
    const bool whole = option_type(row.key).find("whole") != std::string::npos;
    for (const double number : {row.range->low - 2.0, row.range->high * 2.0 + 2.0}) {
      const json value = whole ? json(static_cast<std::int64_t>(number)) : json(number);
      const bool list = option_type(row.key).starts_with("list");
      const auto text = text_with(row.key, list ? json::array({value}) : value);
      CHECK_THROWS_WITH(parse_run_options(text, "x"),
                        contains(row.key + ": ") && contains("is outside "));
    }
  }
  CHECK_THROWS_WITH(parse_run_options(R"({"seed": -1})", "x"),
                    "x: seed: -1 is outside 0 to 9223372036854775807; choose 0 or more");
}

TEST_CASE("a range is written as people read it", "[unit]") {
  CHECK(OptionRange{1, 24}.text() == "1 to 24");
  CHECK(OptionRange{1, 1e12}.text() == "1 to 1e12");
  CHECK(OptionRange{.low = 0, .high = 1, .below = true}.text() == "0 to below 1");
  CHECK(OptionRange{.low = 0, .high = 0.1, .above = true}.text() == "above 0 to 0.1");
  CHECK(OptionRange{.low = 1, .high = 1e6, .or_else = 0.0}.text() == "0, or 1 to 1e6");
  CHECK(OptionRange{-1048576, 1048576}.text() == "-1048576 to 1048576");
}

}  // namespace option_table_test
