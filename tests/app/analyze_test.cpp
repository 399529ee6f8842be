#include "app/small_analysis.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

namespace analyze_test {

namespace {

using namespace small_analysis;
using nlohmann::json;
using test::dragoman;

/// Where the substitute of word `place` stands: every two words change places.
std::size_t swapped(std::size_t place, std::size_t length) {
  const auto other = place ^ 1U;
  return other < length ? other : place;
}

/// Sentences of sixteen words in any order, and the same in another language, whose words change
/// places two by two.
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
    std::vector<std::size_t> sentence(length);
    for (auto& word : sentence) word = random() % words.size();
    for (std::size_t j = 0; j < length; ++j) {
      one << (j > 0 ? " " : "") << words[sentence[j]];
      other << (j > 0 ? " " : "") << others[sentence[swapped(j, length)]];
    }
    one << '\n';
    other << '\n';
  }
}

/// The share of links that join a word with its substitute; of all words, if there are fewer links.
double right_links(const std::string& alignments, const std::string& sentences) {
  double links = 0.0, right = 0.0, words = 0.0;
  std::istringstream lines(alignments), texts(sentences);
  for (std::string line, text; std::getline(texts, text) && std::getline(lines, line);) {
    const auto length = static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ') + 1);
    words += static_cast<double>(length);
    std::istringstream of_line(line);
    for (std::string link; of_line >> link; links += 1.0) {
      const auto middle = link.find('-');
      right += std::stoul(link.substr(middle + 1)) == swapped(std::stoul(link), length) ? 1.0 : 0.0;
    }
  }
  return right / std::max(links, words);
}

}  // namespace

TEST_CASE("every analysis of a corpus prints a table and JSON", "[e2e]") {
  const auto heads = json::parse(dragoman(analyze("heads", with_letters({"--json"}))).out);
  CHECK(heads.at("heads").size() == 6);
  CHECK(heads.at("layers").size() == 2);
  CHECK(heads.at("layers")[1].at("mean_distance").get<double>() > 0.0);
  CHECK(heads.at("distance_rises").at("decoder") == "not testable with one layer");
  CHECK(heads.at("sentences") == 20);
  for (const char* threshold :
       {"on a position >= 0.5", "short range <= 2 tokens", "long range >= 5 tokens",
        "relative entropy >= 0.9", "largest weight >= 0.8", "correlation >= 0.3"})
    CHECK(has_part(heads.at("thresholds"), threshold));
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
  CHECK(std::count(relations.out.begin(), relations.out.end(), '\n') == 6);
  CHECK(has_part(relations.out, "best heads above chance\nencoder 1 "));
  const auto explanation =
      json::parse(dragoman(analyze("explanation", with_letters({"--json"}))).out);
  CHECK(explanation.at("sentences") == 20);
  CHECK(has_part(dragoman(analyze("explanation", with_letters({}))).out, "rank correlation"));
}

TEST_CASE("alignments have a line for each pair and follow the gold that is given", "[e2e]") {
  const auto lines = dragoman(analyze("alignment", with_letters({"--pieces"})));
  REQUIRE(lines.exit_code == 0);
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 20);
  CHECK(dragoman(analyze("alignment", with_letters({"--pieces", "--all-heads"}))).exit_code == 2);
  std::ofstream gold(analyzed_folder() / "gold");
  for (int i = 0; i < 20; ++i) gold << "0-0\n";
  gold.close();
  const auto table = dragoman(analyze(
      "alignment", with_letters({"--gold", (analyzed_folder() / "gold").string(), "--all-heads"})));
  CHECK(has_part(table.out, "1 - alignment error rate"));
  CHECK(std::count(table.out.begin(), table.out.end(), '\n') == 1 + 2 * 2);
  const auto scores = json::parse(
      dragoman(analyze("alignment", with_letters({"--gold", (analyzed_folder() / "gold").string(),
                                                  "--all-heads", "--json"})))
          .out);
  CHECK(scores.at("score") == "1 - alignment error rate");
  CHECK(scores.at("heads").size() == 2 * 2);
  CHECK(scores.at("heads")[0].at("score") >= scores.at("heads")[3].at("score"));
  CHECK(dragoman(analyze("alignment", with_letters({"--json"}))).exit_code == 2);
  std::ofstream(analyzed_folder() / "gold", std::ios::app) << std::string(40, '\n');
  const auto whole = dragoman(analyze(
      "alignment", with_letters({"--gold", (analyzed_folder() / "gold").string(), "--all-heads"})));
  CHECK(whole.out == table.out);
  std::ofstream outside(analyzed_folder() / "outside");
  for (int i = 0; i < 20; ++i) outside << "0-99\n";
  outside.close();
  const auto refused = dragoman(
      analyze("alignment", with_letters({"--gold", (analyzed_folder() / "outside").string()})));
  CHECK(refused.exit_code == 1);
  CHECK(has_part(refused.err, "outside: line 1: the link 0-99 is outside the pair, which has "));
  std::ofstream(analyzed_folder() / "short") << "0-0\n";
  CHECK(dragoman(
            analyze("alignment", with_letters({"--gold", (analyzed_folder() / "short").string()})))
            .exit_code == 1);
}

TEST_CASE("a pair with a blank side has an empty line of alignments", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "source") << "a b\n\na b c\nb c\n";
  std::ofstream(folder / "target") << "a b\na\n\nb c\n";
  std::ofstream(folder / "gold") << "0-0 1-1\n\n\n0-0\n";
  const std::vector<std::string> text = {"--source", (folder / "source").string(), "--target",
                                         (folder / "target").string()};
  std::istringstream out(dragoman(analyze("alignment", text)).out);
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  REQUIRE(lines.size() == 4);
  CHECK_FALSE(lines[0].empty());
  CHECK(lines[1].empty());
  CHECK(lines[2].empty());
  CHECK_FALSE(lines[3].empty());
  CHECK(dragoman(analyze("alignment",
                         test::with(text, {"--gold", (folder / "gold").string(), "--all-heads"})))
            .exit_code == 0);
}

TEST_CASE("a pair that is too long is named by its line in the file", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "a ";
  const auto command = [&](const std::string& first) {
    std::ofstream(folder / "source") << first << "\n\n\n" << words << "\n";
    std::ofstream(folder / "target") << first << "\na\n\n" << words << "\n";
    return dragoman(analyze("heads", {"--source", (folder / "source").string(), "--target",
                                      (folder / "target").string()}));
  };
  const auto some = command("a b");
  CHECK(some.exit_code == 0);
  CHECK_THAT(some.err, test::contains("line 4: the pair has"));
  CHECK_THAT(command("").err, test::contains("no pair is left"));
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
                                 "model.position=learned",
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
  CHECK(right_links(aligned.out, test::content_of(file("c"))) > 0.95);
}

TEST_CASE("the tutorials' sentences are scored by any model", "[e2e]") {
  const auto result = dragoman(analyze("sentences", {}));
  CHECK(result.exit_code == 0);
  CHECK(has_part(result.out, " of 5 right\n"));
}

TEST_CASE("word pairs and contrasts are read from standard input, too", "[e2e]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> inputs = {
      {analyze("heads", {"--source", (analyzed_folder() / "a.src").string(), "--target",
                         (analyzed_folder() / "a.tgt").string(), "--limit", "1", "--word-pairs"}),
       "1-0:next\n"},
      {analyze("sentences", {"--contrasts"}), "a b c\tA B C\tA B D\tc\ta b\n"}};
  for (const auto& [command, content] : inputs) {
    const auto file = (folder / "file").string();
    std::ofstream(file) << content;
    const auto of_file = dragoman(test::with(command, {file}));
    CAPTURE(of_file.err);
    REQUIRE(of_file.exit_code == 0);
    CHECK(dragoman(test::with(command, {"-"}), {.text = content}).out == of_file.out);
  }
  const auto tie =
      dragoman(test::with(inputs[1].first, {"-"}), {.text = "a b c\tA B C\tA B C\tc\ta b\n"});
  CHECK(has_part(tie.out, "the model prefers neither"));
  const auto short_pairs = dragoman(test::with(inputs[0].first, {"-"}), {.text = "\n\n\n"});
  CHECK_THAT(short_pairs.err, test::contains("standard input: has 3 lines for "));
  const auto none = dragoman(test::with(inputs[1].first, {"-"}), {.text = ""});
  CHECK(none.exit_code == 1);
  CHECK(none.out.empty());
  CHECK_THAT(none.err, test::contains("standard input: has no lines"));
}

TEST_CASE("an analysis of the first pairs still compares the lengths of the whole texts", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = (folder / "a").string(), target = (folder / "b").string();
  std::ofstream(source) << "\na b\nc d\na\n";
  std::ofstream(target) << "\nA B\nC D\nA\n";
  const auto files = analyze("alignment", {"--source", source, "--target", target, "--limit"});
  const auto first = dragoman(test::with(files, {"2"}));
  CHECK(first.exit_code == 0);
  CHECK(std::count(first.out.begin(), first.out.end(), '\n') == 2);
  CHECK_THAT(first.err, test::contains("only the first 2 of 4 lines are aligned"));
  std::ofstream(target, std::ios::app) << "B\n";
  const auto refused = dragoman(test::with(files, {"2"}));
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("have 4 and 5 lines"));
}

TEST_CASE("positions and scale need no model", "[e2e]") {
  const auto positions =
      json::parse(dragoman({"analyze", "positions", "--d-model", "32", "--json"}).out);
  CHECK(positions.at("shift_error").get<double>() < 1e-9);
  CHECK(positions.at("least_distance").get<double>() > 0.0);
  CHECK(positions.at("dot_by_offset")[0] == 16.0);
  CHECK(dragoman({"analyze", "positions", "--d-model", "33"}).exit_code == 2);
  // d_k, the variance of a score and that of a scaled one.
  std::istringstream scale(dragoman({"analyze", "scale", "--pairs", "16000"}).out);
  std::string header;
  std::getline(scale, header);
  for (const double d_k : {4.0, 64.0, 512.0}) {
    double width = 0.0, variance = 0.0, scaled = 0.0;
    scale >> width >> variance >> scaled;
    CHECK(width == d_k);
    CHECK(variance == test::Approx(d_k).epsilon(0.1));
    CHECK(scaled == test::Approx(1.0).epsilon(0.1));
    scale.ignore(1000, '\n');
  }
  const auto facts =
      json::parse(dragoman({"analyze", "scale", "--pairs", "16000", "--d-k", "64", "--json"}).out);
  CHECK(facts.at("widths")[0].at("d_k") == 64);
  CHECK(facts.at("widths")[0].at("scaled_variance").get<double>() ==
        test::Approx(1.0).epsilon(0.1));
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
