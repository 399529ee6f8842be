#include "app/small_analysis.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/packed_weights.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace analyze_attention_test {

using namespace small_analysis;
using nlohmann::json;
using test::dragoman;

TEST_CASE("rows of attention sum to 1 and the decoder sees no later position", "[e2e]") {
  const auto result =
      dragoman(analyze("attention", {"a b c", "d e", "--target", "A B", "D", "-f", "json"}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto object = json::parse(result.out);
  REQUIRE(object.at("pictures").size() == 2);
  for (const auto& map : object.at("pictures")[0].at("maps"))
    for (const auto& layer : map.at("weights"))
      for (const auto& head : layer)
        for (std::size_t i = 0; i < head.size(); ++i) {
          CAPTURE(map.at("kind"), i);
          double sum = 0.0;
          for (const double weight : head[i]) sum += weight;
          CHECK(sum == test::Approx(1.0).margin(1e-5));
          if (map.at("kind") == "decoder")
            for (std::size_t j = i + 1; j < head[i].size(); ++j) CHECK(head[i][j] == 0.0);
        }
}

TEST_CASE("attention as CSV and in the page has the weights of the JSON", "[e2e]") {
  const std::vector<std::string> sentence = {"a b", "--target", "A B"};
  const auto object =
      json::parse(dragoman(analyze("attention", test::with(sentence, {"-f", "json"}))).out);
  const auto page = dragoman(analyze("attention", test::with(sentence, {"-f", "html"}))).out;
  const auto data = json::parse(test::data_of_page(page));
  CHECK(data.at("title") == object.at("title"));
  for (std::size_t m = 0; m < 3; ++m) {
    const auto& map = object.at("pictures")[0].at("maps")[m];
    const auto& packed = data.at("pictures")[0].at("maps")[m];
    for (const char* key : {"kind", "queries", "keys", "layers", "heads"})
      CHECK(packed.at(key) == map.at(key));
    const auto weights = test::unpacked_weights(packed.at("weights"), packed.at("range"));
    std::size_t next = 0;
    for (const auto& layer : map.at("weights"))
      for (const auto& head : layer)
        for (const auto& row : head)
          for (const double weight : row)
            CHECK(weights.at(next++) == test::Approx(weight).margin(1e-6));
    CHECK(next == weights.size());
  }

  const auto csv =
      dragoman(analyze("attention",
                       test::with(sentence, {"-f", "csv", "--kind", "cross", "--head", "2"})))
          .out;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const auto& cross = object.at("pictures")[0].at("maps")[2];
  for (const auto& row : cross.at("weights")[0][1])
    for (const double weight : row) {
      REQUIRE(std::getline(lines, line));
      CHECK(std::stod(line.substr(line.rfind(',') + 1)) == test::Approx(weight).margin(2e-6));
    }
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("sentences of attention have the numbers of their lines", "[e2e]") {
  const auto result =
      dragoman(analyze("attention", {"-i", "-", "-f", "csv"}), {.text = "a b\n\nc d\n"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  std::set<std::string> numbers;
  for (const auto& line : test::split_lines(result.out))
    numbers.insert(line.substr(0, line.find(',')));
  CHECK(numbers == std::set<std::string>{"1", "3", "sentence"});
}

TEST_CASE("the attention page has saliency, and a second checkpoint where one is named", "[e2e]") {
  const std::vector<std::string> sentence = {"a b", "--target", "A B", "-f", "html"};
  const auto run = (analyzed_folder() / "run").string();
  const auto data_with = [&](const std::vector<std::string>& more) {
    const auto result = dragoman(analyze("attention", test::with(sentence, more)));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return json::parse(test::data_of_page(result.out));
  };
  const auto data = data_with({});
  const auto& maps = data.at("pictures")[0].at("maps");
  CHECK_FALSE(maps[0].contains("saliency"));  // the encoder writes nothing
  const auto shares = test::unpacked_weights(maps[2].at("saliency"));
  const auto keys = maps[2].at("keys").size();
  REQUIRE(shares.size() == maps[2].at("queries").size() * keys);
  for (std::size_t row = 0; row < shares.size(); row += keys) {
    double sum = 0.0;
    for (std::size_t j = row; j < row + keys; ++j) sum += shares[j];
    CHECK(sum == test::Approx(1.0).margin(1e-5));
  }
  CHECK_FALSE(data_with({"--no-saliency"}).at("pictures")[0].at("maps")[2].contains("saliency"));

  const auto both = data_with({"--compare", run});
  CHECK(both.at("compared") == both.at("title"));
  CHECK(both.at("pictures")[0].at("compared")[1].at("weights") == maps[1].at("weights"));
}

TEST_CASE("options of the attention page are refused for other formats", "[e2e]") {
  const auto run = (analyzed_folder() / "run").string();
  const auto compare = dragoman(analyze("attention", {"a b", "--target", "A", "--compare", run}));
  CHECK(compare.exit_code == 2);
  CHECK(has_part(compare.err, "--compare: is for the HTML page; add -f html"));
  CHECK(dragoman(analyze("attention", {"a b", "--no-saliency", "-f", "json"})).exit_code == 2);
  const auto missing = dragoman(
      analyze("attention", {"a b", "--target", "A", "-f", "html", "--compare", run + "-none"}));
  CHECK(missing.exit_code == 1);
}

TEST_CASE("the format of attention follows the ending of the output", "[e2e]") {
  const test::TemporaryDirectory folder;
  for (const auto& [name, begin] : {std::pair<std::string, std::string>{"page.html", "<!"},
                                    {"page.HTML", "<!"},
                                    {"maps.json", "{"},
                                    {"maps.csv", "sentence,"}}) {
    CAPTURE(name);
    const auto file = (folder / name).string();
    REQUIRE(dragoman(analyze("attention", {"a b", "--target", "A", "-o", file})).exit_code == 0);
    CHECK(dragoman::read_file(file).substr(0, begin.size()) == begin);
  }
}

TEST_CASE("attention is of the model's own translation where no target is given", "[e2e]") {
  const auto run = test::capitals_run().string(), text = test::joined(test::learned_lines(3));
  const auto result = dragoman({"analyze", "attention", "-m", run, "-f", "json"}, {.text = text});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  std::vector<std::string> targets;
  const auto object = json::parse(result.out);
  for (const auto& picture : object.at("pictures"))
    targets.push_back(picture.at("target").get<std::string>());
  CHECK(test::all_differ(targets));
  const auto translated = dragoman({"translate", "-m", run}, {.text = text});
  CHECK(targets == test::split_lines(translated.out));
}

TEST_CASE("a layer that the model lacks and a missing target end with exit code 2", "[e2e]") {
  const auto layer = dragoman(analyze("attention", {"a b", "--target", "A", "--layer", "7"}));
  CHECK(layer.exit_code == 2);
  CHECK(has_part(layer.err, "layer 7: this model has 1"));
  CHECK(dragoman(analyze("attention", {"a b", "c d", "--target", "A"})).exit_code == 2);
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "targets") << "A\n";
  const auto file = (folder / "targets").string();
  const auto fewer = dragoman(analyze("attention", {"a b", "c d", "--target-file", file}));
  CHECK(fewer.exit_code == 1);
  CHECK(has_part(fewer.err, file + ": 2 sentences and 1 target; give one"));
}

TEST_CASE("bytes that are not UTF-8 are warned of in a sentence and its target", "[e2e]") {
  for (const auto& [sentence, target] : {std::pair{"a\xE9", "A"}, {"a", "A\xE9"}}) {
    const auto shown = dragoman(analyze("attention", {sentence, "--target", target}));
    CHECK(shown.exit_code == 0);
    CHECK(has_part(shown.err, "not UTF-8"));
  }
}

TEST_CASE("attention that no translation used is warned of, and the file is tried before the work",
          "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = test::train_small_run(folder, {"data.max_length=20"}).string();
  const auto warning_of = [&](const std::vector<std::string>& more) {
    const auto result = dragoman(test::with({"analyze", "attention", "-m", run}, more));
    CHECK(result.exit_code == 0);
    return result.err;
  };
  const std::string long_one = "a b c d e f g h i j k l m n";
  CHECK_THAT(warning_of({"a b", "a b c d e f g h! A b c d e f g h!"}),
             test::contains("sentences: line 2: the pair has ") &&
                 test::contains("(data.max_length 20); it was translated sentence by sentence"));
  CHECK_THAT(warning_of({long_one}), test::contains("; its end was left out in translation"));
  CHECK_THAT(warning_of({"a b", "c d", "--target", long_one, long_one}),
             test::contains("line 1: the pair has ") &&
                 test::contains("; its attention may be unlike that of shorter ones") &&
                 test::contains("sentences: 2 such pairs"));
  CHECK_THAT(warning_of({"a b", "--target", "A B"}), !test::contains("data.max_length"));

  const auto refused = dragoman(analyze(
      "attention", {"a b", "--target", "A", "-o", (folder / "missing" / "page.html").string()}));
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("page.html: "));
}

}  // namespace analyze_attention_test
