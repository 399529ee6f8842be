#include "app/small_run.h"
#include "dragoman/text/tokenizer.h"
#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace rerank_test {

namespace {

using nlohmann::json;
using test::contains;
using test::dragoman;
using test::five_lines;
using test::split_lines;

std::string output_of(const std::vector<std::string>& arguments, const std::string& input) {
  const auto result = dragoman(arguments, {.text = input});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return result.out;
}

/// A model from capitals to small letters, with a vocabulary of its own, and one of capitals.
struct Models {
  test::TemporaryDirectory folder;
  std::string reverse, other, lm;

  Models() {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    reverse = trained("reverse", "58");
    other = trained("other", "58", {"seed=2"});
    lm = (folder / "lm").string();
    expect_success(
        dragoman({"lm", "train", "--text", (folder / "a.tgt").string(), "-o", lm, "--preset",
                  "tiny", "--set", "model.d_model=16", "model.d_ff=32", "model.num_heads=2",
                  "model.decoder_layers=1", "tokenizer.vocab_size=40", "train.max_steps=4",
                  "train.validate_every=0", "train.checkpoint_every=0"}));
  }

  std::string trained(const std::string& name, const std::string& vocabulary,
                      const std::vector<std::string>& more = {}) const {
    const auto run = (folder / name).string();
    expect_success(
        dragoman(test::with(test::with(test::tiny_training((folder / "a.tgt").string(),
                                                           (folder / "a.src").string(), run),
                                       {"tokenizer.vocab_size=" + vocabulary}),
                            more)));
    return run;
  }

  static void expect_success(const test::ProcessResult& result) {
    if (result.exit_code != 0) throw std::runtime_error(result.err);
  }
};

const Models& models() {
  static const Models all;
  return all;
}

std::string translate(const std::vector<std::string>& more, const std::string& input = five_lines) {
  return output_of(
      test::with({"translate", "-m", test::small_run().string(), "--max-length", "12"}, more),
      input);
}

test::ProcessResult refused(const std::vector<std::string>& more) {
  return dragoman(test::with({"translate", "-m", test::small_run().string()}, more),
                  {.text = five_lines});
}

std::vector<json> objects(const std::string& output) {
  std::vector<json> all;
  for (const auto& line : split_lines(output)) all.push_back(json::parse(line));
  return all;
}

/// The paper's length penalty as the runs have it, alpha 0.6.
double penalty(std::size_t pieces) {
  return std::pow((5.0 + static_cast<double>(pieces)) / 6.0, 0.6);
}

/// A hypothesis with the terms that `score` and `lm score` give it.
struct Expected {
  std::string text;
  double score, reverse, lm;
  bool finished;  ///< before the limit of 12 pieces, EOS included
};

/// The terms of each hypothesis of a line.
std::vector<Expected> expected_of(const std::string& source, const json& n_best,
                                  double reverse_weight, double lm_weight) {
  const auto& all = models();
  const test::TemporaryDirectory folder;
  std::ofstream candidates(folder / "candidates"), sources(folder / "sources");
  for (const auto& one : n_best) {
    candidates << one.at("text").get<std::string>() << '\n';
    sources << source << '\n';
  }
  candidates.close();
  sources.close();
  const auto file = (folder / "candidates").string();
  const auto reverse = objects(output_of({"score", "-m", all.reverse, "--json", "--source", file,
                                          "--target", (folder / "sources").string()},
                                         ""));
  const auto lm = split_lines(output_of({"lm", "score", "-m", all.lm, "-i", file}, ""));
  const auto tokenizer = ::dragoman::Tokenizer::load(std::filesystem::path(all.lm) /
                                                     "checkpoints/step-00000004/tokenizer.model");
  std::vector<Expected> expected;
  for (std::size_t i = 0; i < n_best.size(); ++i) {
    const auto text = n_best[i].at("text").get<std::string>();
    const double back = reverse[i].at("log_prob"), own = std::stod(lm[i]);
    expected.push_back({.text = text,
                        .score = n_best[i].at("score").get<double>() +
                                 reverse_weight * back / penalty(reverse[i].at("tokens").size()) +
                                 lm_weight * own / penalty(tokenizer.encode(text).size() + 1),
                        .reverse = back,
                        .lm = own,
                        .finished = n_best[i].at("tokens").size() < 12});
  }
  std::ranges::stable_sort(expected, [](const Expected& a, const Expected& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  return expected;
}

}  // namespace

TEST_CASE("a reranked list has the order and the scores that score and lm score give", "[e2e]") {
  // With prefixes, since lm score takes a blank line for no text.
  const std::string input = "a b c ||| A\nd e f g ||| D\n";
  const std::vector<std::string> list{"--json",   "--beam-size", "6",
                                      "--n-best", "6",           "--inline-prefix"};
  const auto plain = objects(translate(list, input));
  const auto reranked =
      objects(translate(test::with(list, {"--rerank-reverse", models().reverse, "--reverse-weight",
                                          "3", "--rerank-lm", models().lm, "--lm-weight", "0.5"}),
                        input));
  REQUIRE(reranked.size() == 2);
  bool changed = false;
  for (std::size_t line = 0; line < reranked.size(); ++line) {
    const auto& found = reranked[line].at("n_best");
    const auto expected =
        expected_of(line == 0 ? "a b c" : "d e f g", plain[line].at("n_best"), 3.0, 0.5);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(line, i);
      CHECK(found[i].at("text").get<std::string>() == expected[i].text);
      CHECK(found[i].at("score").get<double>() == test::Approx(expected[i].score).epsilon(1e-5));
      CHECK(found[i].at("reverse_log_prob").get<double>() ==
            test::Approx(expected[i].reverse).epsilon(1e-5));
      CHECK(found[i].at("lm_log_prob").get<double>() == test::Approx(expected[i].lm).epsilon(1e-5));
      changed |= found[i].at("text") != plain[line].at("n_best")[i].at("text");
    }
  }
  CHECK(changed);
}

TEST_CASE("the best of the whole beam is printed, whatever workers, pipes and length of list",
          "[e2e]") {
  const std::vector<std::string> reranking{"--rerank-reverse", models().reverse, "--rerank-lm",
                                           models().lm,        "--beam-size",    "6"};
  const auto best = translate(reranking);
  CHECK(translate(test::with(reranking, {"--workers", "1", "--batch-lines", "1"})) == best);
  const auto lines = split_lines(best);
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].empty());
  const auto list = split_lines(translate(test::with(reranking, {"--n-best", "2"})));
  REQUIRE(list.size() == 9);  // the blank line has one
  for (const auto& [line, of_list] : {std::pair{0, 0}, {1, 2}, {2, 4}, {3, 5}, {4, 7}})
    CHECK(list[of_list].starts_with(std::to_string(line) + " ||| " + lines[line] + " ||| "));
  const auto aligned = split_lines(translate(test::with(reranking, {"--json"})));
  for (const auto& line : aligned) {
    const auto one = json::parse(line);
    CHECK(one.at("alignment").size() == one.at("tokens").size());
  }
}

TEST_CASE("weights of zero leave the search's order, and other weights other scores", "[e2e]") {
  const std::vector<std::string> list{"--n-best", "4"};
  const auto plain = translate(list);
  CHECK(translate(test::with(list, {"--rerank-reverse", models().reverse, "--reverse-weight", "0",
                                    "--rerank-lm", models().lm, "--lm-weight", "0"})) == plain);
  CHECK(translate(test::with(list, {"--rerank-reverse", models().reverse})) != plain);
  CHECK(translate(test::with(list, {"--rerank-lm", models().lm})) != plain);
}

TEST_CASE("several reverse models are an ensemble, and so are several forward ones", "[e2e]") {
  const std::vector<std::string> first{"--scores", "--rerank-reverse", models().reverse};
  const auto both = translate(test::with(first, {"--rerank-reverse", models().other}));
  CHECK(split_lines(both).size() == 5);
  CHECK(both != translate(first));
  CHECK(split_lines(translate(test::with(first, {"-m", test::small_run().string()}))).size() == 5);
  const auto told = dragoman(test::with({"translate", "-m", test::small_run().string(), "--verbose",
                                         "--rerank-lm", models().lm},
                                        first),
                             {.text = "a\n"});
  CHECK_THAT(told.err, contains("reranked by a reverse model and a language model"));
}

TEST_CASE("a reranking that cannot be is refused before anything is translated", "[e2e]") {
  const auto expect = [](const std::vector<std::string>& more, int code,
                         const std::string& message) {
    const auto result = refused(more);
    CAPTURE(message, result.err);
    CHECK(result.exit_code == code);
    CHECK(result.err.find(message) != std::string::npos);
    CHECK(result.out.empty());
  };
  const std::string reverse = models().reverse, lm = models().lm;
  expect({"--rerank-reverse", reverse, "--sample"}, 2,
         "--rerank-reverse: reranks the hypotheses of "
         "beam search, which --sample replaces");
  expect({"--rerank-lm", lm, "--mbr", "chrf"}, 2,
         "--rerank-lm: reranks the hypotheses of beam "
         "search, which --mbr replaces");
  expect({"--rerank-reverse", reverse, "--beam-size", "1"}, 2, "search.beam_size is 1; raise it");
  expect({"--rerank-reverse", reverse, "--set", "search.greedy=true"}, 2, "search.greedy is true");
  expect({"--rerank-lm", lm, "--set", "search.sample=true"}, 2, "search.sample is true");
  expect({"--reverse-weight", "2"}, 2, "--rerank-reverse");
  expect({"--rerank-reverse", reverse, "--lm-weight", "2"}, 2, "--rerank-lm");
  expect({"--rerank-reverse", reverse, "--reverse-weight", "-1"}, 2, "--reverse-weight");
  expect({"--rerank-reverse", "none"}, 1, "none: ");
  expect({"--rerank-lm", "none"}, 1, "none: ");
  expect({"--rerank-reverse", lm}, 1, "its model is of the kind language_model");
  expect({"--rerank-lm", reverse}, 1, "its model is of the kind translation");
}

}  // namespace rerank_test
