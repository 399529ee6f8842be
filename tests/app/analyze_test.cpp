#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/packed_weights.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

namespace analyze_test {

namespace {

using nlohmann::json;
using test::dragoman;

/// A model of a few steps on letters; its numbers mean nothing, but they must be right.
const std::filesystem::path& analyzed_folder() {
  static const test::TemporaryDirectory folder;
  static const bool made = [] {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    const auto result = dragoman(test::tiny_training(
        (folder / "a.src").string(), (folder / "a.tgt").string(), (folder / "run").string()));
    if (result.exit_code != 0) throw std::runtime_error(result.err);
    return true;
  }();
  static_cast<void>(made);
  return folder.path();
}

std::vector<std::string> analyze(const std::string& what, const std::vector<std::string>& more) {
  return test::with({"analyze", what, "-m", (analyzed_folder() / "run").string()}, more);
}

std::vector<std::string> with_letters(const std::vector<std::string>& more) {
  return test::with({"--source", (analyzed_folder() / "a.src").string(), "--target",
                     (analyzed_folder() / "a.tgt").string(), "--limit", "20"},
                    more);
}

/// Sentences of sixteen words in any order, and the same word by word in another language.
void write_substitution(const std::filesystem::path& source, const std::filesystem::path& target,
                        int count, std::uint32_t seed) {
  const std::vector<std::string> words = {"ba", "ke", "li", "mo", "nu", "pa", "re", "si",
                                          "to", "vu", "wa", "zi", "du", "fe", "go", "hi"};
  const std::vector<std::string> others = {"Tor", "Sal", "Ren", "Pim", "Nok", "Mur", "Lef", "Kas",
                                           "Hob", "Gul", "Fir", "Dan", "Ces", "Bry", "Wox", "Zed"};
  std::minstd_rand random(seed);
  std::ofstream one(source), other(target);
  for (int i = 0; i < count; ++i) {
    const auto length = 3 + random() % 7;
    for (std::uint32_t j = 0; j < length; ++j) {
      const auto word = random() % words.size();
      one << (j > 0 ? " " : "") << words[word];
      other << (j > 0 ? " " : "") << others[word];
    }
    one << '\n';
    other << '\n';
  }
}

/// The share of links that join a word with its substitute, which stands at the same place.
double straight_links(const std::string& lines) {
  std::istringstream links(lines);
  double all = 0.0, straight = 0.0;
  for (std::string link; links >> link; all += 1.0) {
    const auto middle = link.find('-');
    straight += link.substr(0, middle) == link.substr(middle + 1) ? 1.0 : 0.0;
  }
  return all > 0.0 ? straight / all : 0.0;
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

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
                                    {"maps.json", "{"},
                                    {"maps.csv", "sentence,"}}) {
    CAPTURE(name);
    const auto file = (folder / name).string();
    REQUIRE(dragoman(analyze("attention", {"a b", "--target", "A", "-o", file})).exit_code == 0);
    CHECK(dragoman::read_file(file).substr(0, begin.size()) == begin);
  }
}

TEST_CASE("attention is of the model's own translation where no target is given", "[e2e]") {
  const auto result = dragoman(analyze("attention", {"-f", "json"}),
                               {.text = "a b c\n", .directory = {}, .variables = {}});
  REQUIRE(result.exit_code == 0);
  const auto translated = dragoman({"translate", "-m", (analyzed_folder() / "run").string()},
                                   {.text = "a b c\n", .directory = {}, .variables = {}});
  CHECK(json::parse(result.out).at("pictures")[0].at("target").get<std::string>() + '\n' ==
        translated.out);
}

TEST_CASE("a layer that the model lacks and a missing target end with exit code 2", "[e2e]") {
  const auto layer = dragoman(analyze("attention", {"a b", "--target", "A", "--layer", "7"}));
  CHECK(layer.exit_code == 2);
  CHECK(has_part(layer.err, "layer 7: this model has 1"));
  CHECK(dragoman(analyze("attention", {"a b", "c d", "--target", "A"})).exit_code == 2);
}

TEST_CASE("every analysis of a corpus prints a table and JSON", "[e2e]") {
  const auto heads = json::parse(dragoman(analyze("heads", with_letters({"--json"}))).out);
  CHECK(heads.at("heads").size() == 6);
  CHECK(has_part(dragoman(analyze("heads", with_letters({}))).out, "cross 1.2"));
  const auto importance = json::parse(
      dragoman(analyze("heads", with_letters({"--importance", "--ablation", "--json"}))).out);
  CHECK(importance.at("pruning_order").size() == 6);
  CHECK(importance.at("pruning_order")[0].contains("nll_without"));
  const auto similarity =
      json::parse(dragoman(analyze("heads", with_letters({"--similarity", "--json"}))).out);
  REQUIRE(similarity.at("layers").size() == 3);
  CHECK(similarity.at("layers")[2].at("distance")[0][0] == 0.0);
  CHECK(has_part(dragoman(analyze("heads", with_letters({"--similarity"}))).out,
                 "Jensen-Shannon divergence"));
  std::ofstream pairs(analyzed_folder() / "pairs");
  for (int i = 0; i < 20; ++i) pairs << "1-0:next 0-1:before\n";
  pairs.close();
  const auto relations = dragoman(
      analyze("heads", with_letters({"--word-pairs", (analyzed_folder() / "pairs").string()})));
  CHECK(has_part(relations.out, "next"));
  CHECK(std::count(relations.out.begin(), relations.out.end(), '\n') == 3);
  const auto explanation =
      json::parse(dragoman(analyze("explanation", with_letters({"--json"}))).out);
  CHECK(explanation.at("sentences") == 20);
  CHECK(has_part(dragoman(analyze("explanation", with_letters({}))).out, "rank correlation"));
}

TEST_CASE("alignments have a line for each pair and follow the gold that is given", "[e2e]") {
  const auto lines = dragoman(analyze("alignment", with_letters({"--pieces"})));
  REQUIRE(lines.exit_code == 0);
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 20);
  std::ofstream gold(analyzed_folder() / "gold");
  for (int i = 0; i < 20; ++i) gold << "0-0\n";
  gold.close();
  const auto table = dragoman(analyze(
      "alignment", with_letters({"--gold", (analyzed_folder() / "gold").string(), "--all-heads"})));
  CHECK(has_part(table.out, "1 - alignment error rate"));
  CHECK(std::count(table.out.begin(), table.out.end(), '\n') == 1 + 2 * 2);
  std::ofstream(analyzed_folder() / "short") << "0-0\n";
  CHECK(dragoman(
            analyze("alignment", with_letters({"--gold", (analyzed_folder() / "short").string()})))
            .exit_code == 1);
}

TEST_CASE("words that are substituted one by one are aligned without gold", "[e2e][slow]") {
  const test::TemporaryDirectory folder;
  const auto file = [&](const char* name) { return (folder / name).string(); };
  write_substitution(file("a"), file("b"), 3000, 1);
  write_substitution(file("c"), file("d"), 100, 2);
  const auto trained = dragoman({"train",
                                 "--preset",
                                 "tiny",
                                 "--train-source",
                                 file("a"),
                                 "--train-target",
                                 file("b"),
                                 "-o",
                                 file("run"),
                                 "--set",
                                 "model.d_model=32",
                                 "model.d_ff=64",
                                 "model.num_heads=2",
                                 "model.encoder_layers=1",
                                 "model.decoder_layers=1",
                                 "model.dropout=0",
                                 "tokenizer.vocab_size=100",
                                 "train.max_steps=700",
                                 "train.batch_tokens=1500",
                                 "train.schedule=cosine",
                                 "train.decay_steps=700",
                                 "train.warmup_steps=50",
                                 "train.learning_rate=0.004"});
  REQUIRE(trained.exit_code == 0);
  const auto aligned = dragoman(
      {"analyze", "alignment", "-m", file("run"), "--source", file("c"), "--target", file("d")});
  REQUIRE(aligned.exit_code == 0);
  CHECK(std::count(aligned.out.begin(), aligned.out.end(), '\n') == 100);
  CHECK(straight_links(aligned.out) > 0.95);
}

TEST_CASE("the tutorials' sentences are scored by any model", "[e2e]") {
  const auto result = dragoman(analyze("sentences", {}));
  CHECK(result.exit_code == 0);
  CHECK(has_part(result.out, " of 5 right\n"));
}

TEST_CASE("positions and scale need no model", "[e2e]") {
  const auto positions =
      json::parse(dragoman({"analyze", "positions", "--d-model", "32", "--json"}).out);
  CHECK(positions.at("shift_error").get<double>() < 1e-9);
  CHECK(positions.at("least_distance").get<double>() > 0.0);
  CHECK(positions.at("dot_by_offset")[0] == 16.0);
  CHECK(dragoman({"analyze", "positions", "--d-model", "33"}).exit_code == 2);
  CHECK(has_part(dragoman({"analyze", "scale", "--pairs", "1600"}).out, "512"));
}

TEST_CASE("a sentence of one's own is explained with the model's own weights", "[e2e]") {
  const auto run = (analyzed_folder() / "run").string();
  for (const char* kind : {"encoder", "decoder", "cross"}) {
    CAPTURE(kind);
    const auto result =
        dragoman({"explain", "-m", run, "a b c", "--kind", kind, "--head", "2", "--json"});
    REQUIRE(result.exit_code == 0);
    CHECK(json::parse(result.out).at("difference").get<double>() < 1e-6);
  }
  CHECK(has_part(dragoman({"explain", "-m", run, "a b c"}).out, "softmax(scaled), row by row"));
  CHECK(dragoman({"explain", "-m", run, "a b c", "--layer", "9"}).exit_code == 2);
}

}  // namespace analyze_test
