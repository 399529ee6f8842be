#include "app/small_run.h"
#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace decoding_test {

namespace {

using test::dragoman;
using test::five_lines;
using test::split_lines;

/// \param cpu value of DRAGOMAN_CPU; empty = all of the processor's instructions
test::ProcessResult decode(const std::vector<std::string>& more,
                           const std::string& input = five_lines, const std::string& cpu = {}) {
  return dragoman(
      test::with({"translate", "-m", test::small_run().string(), "--max-length", "12"}, more),
      {.text = input, .variables = {{"DRAGOMAN_CPU", cpu}}});
}

std::string output_of(const std::vector<std::string>& more, const std::string& input = five_lines) {
  const auto result = decode(more, input);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return result.out;
}

}  // namespace

TEST_CASE("samples are the same for a seed, whatever workers and lines read at once", "[e2e]") {
  const auto expected = output_of({"--sample", "--seed", "5"});
  CHECK(output_of({"--sample", "--seed", "5"}) == expected);
  CHECK(output_of({"--sample", "--seed", "5", "--workers", "1", "--batch-lines", "2"}) == expected);
  CHECK(output_of({"--sample", "--seed", "6"}) != expected);
  const auto lines = split_lines(expected);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] != lines[3]);
  CHECK(lines[2].empty());
}

TEST_CASE("an n-best list of samples has as many independent ones as asked for", "[e2e]") {
  const auto lines = split_lines(output_of(
      {"--sample", "--n-best", "8", "--top-k", "20", "--top-p", "0.95", "--temperature", "1.2"},
      "a b c\n"));
  CHECK(lines.size() == 8);
  CHECK(std::set(lines.begin(), lines.end()).size() > 4);
}

TEST_CASE("minimum Bayes risk decoding prints one of the samples, whatever workers and pipes",
          "[e2e]") {
  const auto list = split_lines(output_of({"--sample", "--seed", "5", "--n-best", "6"}));
  for (const std::string utility : {"chrf", "bleu"}) {
    const std::vector<std::string> mbr{"--mbr", utility, "--samples", "6", "--seed", "5"};
    const auto chosen = output_of(mbr);
    CHECK(output_of(test::with(mbr, {"--workers", "1", "--batch-lines", "1"})) == chosen);
    const auto lines = split_lines(chosen);
    REQUIRE(lines.size() == 5);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto sample = std::to_string(i) + " ||| " + lines[i] + " ||| ";
      CHECK(std::ranges::any_of(list, [&](const auto& one) { return one.starts_with(sample); }));
    }
    const auto scored = split_lines(output_of(test::with(mbr, {"--scores"})));
    const auto json = nlohmann::json::parse(split_lines(output_of(test::with(mbr, {"--json"})))[0]);
    CHECK(json.at("text").get<std::string>() == lines[0]);
    CHECK(json.at("n_best").size() == 1);
    CHECK(scored[0].starts_with(lines[0] + " ||| "));
    CHECK(std::stod(scored[0].substr(scored[0].rfind(' '))) ==
          test::Approx(json.at("utility").get<double>()).margin(1e-5));
  }
}

TEST_CASE("minimum Bayes risk decoding takes an ensemble and the options of sampling", "[e2e]") {
  const auto run = test::small_run().string();
  const auto lines = split_lines(output_of({"-m", run, "--mbr", "chrf", "--samples", "3", "--top-k",
                                            "5", "--top-p", "0.9", "--temperature", "0.8"}));
  CHECK(lines.size() == 5);
}

TEST_CASE("the hypotheses of a sentence differ in their texts, and others fill the places",
          "[e2e]") {
  // So wide a beam over so short texts holds many that are spelled by several pieces.
  const auto search = [](const std::vector<std::string>& more) {
    const auto run = test::small_run().string();
    const auto result = dragoman(
        test::with({"translate", "-m", run, "--max-length", "3", "--beam-size", "400"}, more),
        {.text = "a b c\nd e f g\n"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return split_lines(result.out);
  };
  const auto lines = search({"--n-best", "200"});
  REQUIRE(lines.size() == 400);
  std::set<std::string> texts;
  for (const auto& line : lines) texts.insert(line.substr(0, line.rfind(" ||| ")));
  CHECK(texts.size() == lines.size());
  const auto best = search({});
  REQUIRE(best.size() == 2);
  CHECK_THAT(lines[0], test::contains("0 ||| " + best[0] + " ||| "));
  CHECK_THAT(lines[200], test::contains("1 ||| " + best[1] + " ||| "));
}

TEST_CASE("each hypothesis of an n-best list has its alignment", "[e2e]") {
  const auto input = "a b c\nd e f g\n";
  const auto lines = split_lines(output_of({"--n-best", "4", "--alignment"}, input));
  CHECK(lines.size() == 8);
  for (const auto& line : lines) {
    CAPTURE(line);
    std::size_t columns = 1;
    for (auto at = line.find(" ||| "); at != std::string::npos; at = line.find(" ||| ", at + 5))
      ++columns;
    CHECK(columns == 4);
  }
  for (const auto& line : split_lines(output_of({"--n-best", "4", "--json"}, input))) {
    const auto translated = nlohmann::json::parse(line);
    for (const auto& one : translated.at("n_best"))
      CHECK(one.at("alignment").size() == one.at("tokens").size());
  }
}

TEST_CASE("options of beam search and of sampling are refused together by name", "[e2e]") {
  const auto refused = [](const std::vector<std::string>& more, const std::string& message) {
    const auto result = decode(more);
    CAPTURE(message, result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(message) != std::string::npos);
    CHECK(result.out.empty());
  };
  refused({"--sample", "--beam-size", "4"}, "--beam-size: is for beam search");
  refused({"--sample", "--length-penalty", "1"}, "--length-penalty: is for beam search");
  refused({"--sample", "--coverage-penalty", "0.2"}, "--coverage-penalty: is for beam search");
  refused({"--temperature", "0.5"}, "--temperature: is for sampling");
  refused({"--seed", "5"}, "--seed: is for sampling");
  refused({"--set", "seed=5"}, "--set seed: is for sampling");
  refused({"--set", "search.top_p=0.9"}, "--set search.top_p: is for sampling");
  refused({"--sample", "--set", "search.beam_size=4"},
          "--set search.beam_size: is for beam search");
  refused({"--mbr", "chrf", "--beam-size", "4"}, "--beam-size: is for beam search, which --mbr");
  refused({"--mbr", "chrf", "--early-stopping", "beam"}, "--early-stopping: is for beam search");
  refused({"--mbr", "chrf", "--n-best", "4"}, "--n-best: --mbr chooses one translation");
  refused({"--mbr", "chrf", "--sample"}, "--sample: --mbr draws samples by itself");
  for (const std::string samples : {"0", "1", "1025"})
    refused({"--mbr", "chrf", "--samples", samples},
            "--samples: " + samples + " is outside the range: 2 to 1024");
  refused({"--mbr", "chrf", "--set", "search.n_best=5"}, "--set search.n_best: with --mbr");
  refused({"--mbr", "ter"}, "--mbr");
  refused({"--samples", "4"}, "--samples: is for minimum Bayes risk decoding");
  refused({"--sample", "--temperature", "0"}, "search.temperature: 0 is outside");
  refused({"--sample", "--top-p", "1.5"}, "search.top_p: 1.5 is outside");
  refused({"--sample", "--set", "search.greedy=true"}, "search.sample: contradicts search.greedy");
  refused({"--beam-size", "4", "--set", "search.greedy=true"},
          "--beam-size: is for beam search, which search.greedy replaces");
  refused({"--inline-prefix", "--target-prefix", "x"}, "--target-prefix");
}

TEST_CASE("a negative number of workers is refused before anything is read", "[e2e]") {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"translate", "-m", "none"},
        {"train", "--preset", "tiny", "-o", "none"}}) {
    const auto result = dragoman(test::with(command, {"--workers", "-1"}));
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("--workers"));
  }
}

TEST_CASE("translations begin with the prefixes of a file or behind three bars", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "prefixes") << "B A\n\nC\n\nD\n";
  const auto file = (folder / "prefixes").string();
  const auto forced = output_of({"--target-prefix", file});
  const auto lines = split_lines(forced), plain = split_lines(output_of({}));
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].rfind("B A", 0) == 0);
  CHECK(lines[1] == plain[1]);
  CHECK(lines[2].empty());
  CHECK(lines[3] == plain[3]);
  CHECK(lines[4].rfind("D", 0) == 0);
  CHECK(output_of({"--target-prefix", file, "--batch-lines", "2"}) == forced);
  CHECK(output_of({"--inline-prefix"}, "a b c ||| B A\nd e f g\n\na b c |||\nh i j k l ||| D\n") ==
        forced);
  std::ofstream(folder / "prefixes") << "B A\n";
  const auto short_file = decode({"--target-prefix", file});
  CHECK(short_file.exit_code == 1);
  CHECK(short_file.err.find("prefixes: ends after 1 line,") != std::string::npos);
}

TEST_CASE("several runs with one vocabulary translate, score and are evaluated as one", "[e2e]") {
  const test::TemporaryDirectory folder, third;
  const auto first = test::small_run().string();
  const auto other = test::train_small_run(folder, {"seed=2"}).string();
  const auto translate = [](const std::vector<std::string>& models) {
    std::vector<std::string> arguments{"translate", "--max-length", "12", "--scores"};
    for (const auto& model : models) arguments = test::with(arguments, {"-m", model});
    const auto result = dragoman(arguments, {.text = five_lines});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  };
  CHECK(translate({first, other}) == translate({other, first}));
  CHECK(translate({first, other}) != translate({first}));
  const auto evaluated =
      dragoman({"evaluate", "-m", first, "-m", other, "--source", (folder / "a.src").string(),
                "--reference", (folder / "a.tgt").string()});
  CHECK(evaluated.exit_code == 0);
  CHECK(evaluated.out.find("nats per piece, perplexity ") != std::string::npos);
  CHECK(evaluated.out.find("accuracy") == std::string::npos);  // the ensemble's is not known
  const auto stranger = test::train_small_run(third, {"tokenizer.vocab_size=58"}).string();
  const auto refused =
      dragoman({"score", "-m", first, "-m", stranger, "--source", (folder / "a.src").string(),
                "--target", (folder / "a.tgt").string()});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err.find("source vocabulary is not that of") != std::string::npos);
}

TEST_CASE("no n-gram comes twice where the command line forbids it", "[e2e]") {
  for (const std::vector<std::string>& search :
       {std::vector<std::string>{}, {"--sample"}, {"--set", "search.greedy=true"}}) {
    const auto record = nlohmann::json::parse(
        output_of(test::with({"--json", "--no-repeat-ngram", "1"}, search), "a b c d e f\n"));
    const auto tokens = record.at("tokens").get<std::vector<std::string>>();
    CHECK(std::set(tokens.begin(), tokens.end()).size() == tokens.size());
  }
}

TEST_CASE("one alternative is the text alone", "[e2e]") {
  CHECK(output_of({"--n-best", "1"}, "a b c d\n") == output_of({}, "a b c d\n"));
}

TEST_CASE("a run with a coverage penalty can be sampled from, and searched greedily without it",
          "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = test::train_small_run(folder, {"search.coverage_penalty=0.2"}).string();
  for (const std::vector<std::string>& search :
       std::vector<std::vector<std::string>>{{"--sample"},
                                             {"--mbr", "chrf", "--samples", "2"},
                                             {"--set", "search.sample=true"},
                                             {"--set", "search.greedy=true"}}) {
    const auto result =
        test::dragoman(test::with({"translate", "-m", run}, search), {.text = "a b\n"});
    CAPTURE(search, result.err);
    CHECK(result.exit_code == 0);
  }
  const auto refused = test::dragoman(
      {"translate", "-m", run, "--set", "search.greedy=true", "search.coverage_penalty=0.2"},
      {.text = "a b\n"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("--set search.coverage_penalty=0.2: 0.2 ranks the "));
}

TEST_CASE("a run that searches greedily can be sampled from, and says how to get a beam", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run =
      test::train_small_run(folder, {"search.greedy=true", "search.n_best=1"}).string();
  const auto with = [&run](const std::vector<std::string>& more) {
    return test::dragoman(test::with({"translate", "-m", run}, more), {.text = "a b\n"});
  };
  CHECK(with({"--sample"}).exit_code == 0);
  CHECK(with({"--mbr", "chrf", "--samples", "2"}).exit_code == 0);
  CHECK(with({"--beam-size", "2", "--set", "search.greedy=false"}).exit_code == 0);
  const auto refused = with({"--beam-size", "2"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("--beam-size: is for beam search, which the run's "
                                         "search.greedy replaces; add --set search.greedy=false"));
}

TEST_CASE("commands that use one translation do so with a run that asks for several", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = test::train_small_run(folder, {"search.n_best=4"}).string();
  const auto text = (folder / "a.src").string();
  const auto result = test::dragoman({"evaluate", "-m", run, "--source", text, "--reference", text,
                                      "--set", "search.beam_size=2"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const auto greedy =
      test::dragoman({"translate", "-m", run, "--set", "search.greedy=true"}, {.text = "a b\n"});
  CAPTURE(greedy.err);
  CHECK(greedy.exit_code == 0);
}

TEST_CASE("a coverage penalty lowers scores and leaves log-probabilities what they are", "[e2e]") {
  const auto plain = nlohmann::json::parse(output_of({"--json", "--n-best", "1"}, "a b c d\n"));
  const auto covered = nlohmann::json::parse(
      output_of({"--json", "--n-best", "1", "--coverage-penalty", "0.5"}, "a b c d\n"));
  CHECK(covered.at("score").get<double>() <= plain.at("score").get<double>());
  if (covered.at("tokens") == plain.at("tokens"))
    CHECK(covered.at("n_best")[0].at("log_prob") == plain.at("n_best")[0].at("log_prob"));
}

TEST_CASE("each precision translates every line and says so when asked", "[e2e]") {
  for (const std::string precision : {"float32", "bf16", "int8"}) {
    CAPTURE(precision);
    const auto result =
        decode({"--precision", precision, "--verbose", "--workers", "1", "--threads", "2"});
    CHECK(result.exit_code == 0);
    CHECK(split_lines(result.out).size() == 5);
    CHECK_THAT(result.err,
               test::contains("1 worker of 2 threads") && test::contains(precision + " weights"));
  }
  const auto refused = decode({"--precision", "int4"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("int4"));
}

TEST_CASE("auto translates like the precision that it names in one line", "[e2e]") {
#ifdef __x86_64__
  const std::vector<std::string> levels{"", "avx2", "plain"};
#else
  const std::vector<std::string> levels{"", "plain"};
#endif
  const std::string choice = "search.precision=auto: ";
  for (const auto& cpu : levels) {
    const auto sampled = [&](const std::string& precision) {
      return decode({"--sample", "--seed", "5", "--precision", precision}, five_lines, cpu);
    };
    const auto chosen = sampled("auto");
    CAPTURE(cpu, chosen.err);
    REQUIRE(chosen.exit_code == 0);
    const auto place = chosen.err.find(choice);
    REQUIRE(place != std::string::npos);
    CHECK(chosen.err.find(choice, place + 1) == std::string::npos);
    const bool int8 = chosen.err.compare(place + choice.size(), 5, "int8,") == 0;
    CHECK(chosen.out.find_first_not_of(" \n") != std::string::npos);
    CHECK(chosen.out == sampled(int8 ? "int8" : "float32").out);
#ifdef __x86_64__
    if (!cpu.empty()) CHECK(int8);
#endif
  }
}

#ifdef __x86_64__

TEST_CASE("a precision that is slower is used with a warning, by the engine and the modules",
          "[e2e]") {
  for (const std::vector<std::string>& path :
       {std::vector<std::string>{}, std::vector<std::string>{"--no-cache"}}) {
    const auto result =
        decode(test::with({"--precision", "bf16", "--verbose"}, path), five_lines, "avx2");
    CAPTURE(path, result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, test::contains("bf16 weights packed for ") &&
                               test::contains("search.precision=bf16: products take ") &&
                               test::contains(" times as long as with float32"));
  }
}

#endif

}  // namespace decoding_test
