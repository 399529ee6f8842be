#include "support/catch.h"
#include "support/hostile.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/program.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace evaluate_test {

using nlohmann::json;

namespace {

test::ProcessResult evaluate(const std::vector<std::string>& arguments,
                             const std::string& standard_input = {}) {
  std::vector<std::string> command = {test::program(), "evaluate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return test::run(command, {.text = standard_input, .directory = {}, .variables = {}});
}

/// Two systems and a reference in a folder of their own.
struct Texts {
  test::TemporaryDirectory folder;
  std::string hypothesis =
      write("h", "A man in an orange hat stares at something.\nTwo men at the stove.\n");
  std::string other = write("h2", "A man hat stares at something.\nTwo men at stove.\n");
  std::string reference =
      write("r", "A man in an orange hat is staring at something.\nTwo men are at the stove.\n");

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return (folder / name).string();
  }
};

}  // namespace

TEST_CASE("evaluate prints the lines sacreBLEU prints", "[golden]") {
  const Texts texts;
  const auto result = evaluate({"--hypothesis", texts.hypothesis, "--reference", texts.reference,
                                "--metrics", "bleu,chrf", "chrf++", "ter", "--width", "1"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out ==
        "        BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 56.8 "
        "93.8/78.6/58.3/40.0 (BP = 0.882 ratio = 0.889 hyp_len = 16 ref_len = 18)\n"
        "      chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 73.9\n"
        "    chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 74.9\n"
        "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = 18.8\n");
}

TEST_CASE("evaluate adds the intervals sacreBLEU adds", "[golden]") {
  const Texts texts;
  const auto result = evaluate({"--hypothesis", texts.hypothesis, "--reference", texts.reference,
                                "--confidence", "--width", "1"});
  CHECK_THAT(result.out, test::contains("nrefs:1|bs:1000|seed:12345|case:mixed"));
  CHECK_THAT(result.out, test::contains(" = 56.8 (μ = 56.1 ± 4.2) 93.8/"));
  CHECK_THAT(result.out, test::contains(" = 73.9 (μ = 74.0 ± 0.7)\n"));
  CHECK_THAT(result.out, test::contains(" = 18.8 (μ = 18.6 ± 1.7)\n"));
}

TEST_CASE("evaluate gives one JSON object with sacreBLEU's field names", "[unit]") {
  const Texts texts;
  const auto result = evaluate({"--hypothesis", texts.hypothesis, "--reference", texts.reference,
                                "--reference", texts.reference, "--metrics", "bleu,chrf++",
                                "--confidence", "--samples", "20", "--json"});
  const auto object = json::parse(result.out);
  REQUIRE(object.size() == 2);
  const auto& bleu = object.at("bleu");
  CHECK(bleu.at("name") == "BLEU");
  CHECK(std::abs(bleu.at("score").get<double>() - 56.82198060481105) < 1e-9);
  CHECK(bleu.at("signature") ==
        "nrefs:2|bs:20|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
  CHECK(bleu.at("nrefs") == "2");
  CHECK(bleu.at("tok") == "13a");
  CHECK(bleu.at("verbose_score").get<std::string>().starts_with("93.8/78.6/58.3/40.0 (BP"));
  CHECK(bleu.at("confidence_mean").is_number());
  CHECK(bleu.at("confidence_var").is_number());
  CHECK(object.at("chrf++").at("name") == "chrF2++");
}

TEST_CASE("evaluate writes sacreBLEU's short signatures", "[golden]") {
  const Texts texts;
  const std::vector<std::string> arguments = {"--hypothesis",  texts.hypothesis, "--reference",
                                              texts.reference, "--metrics",      "bleu",
                                              "--short"};
  CHECK(evaluate(arguments).out.starts_with("BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0 = "));
  auto as_json = arguments;
  as_json.emplace_back("--json");
  const auto bleu = json::parse(evaluate(as_json).out).at("bleu");
  CHECK(bleu.at("signature") == "#:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0");
}

TEST_CASE("evaluate warns of references that its tokenizer leaves whole", "[unit]") {
  test::TemporaryDirectory folder;
  const auto file = (folder / "zh").string();
  std::ofstream(file) << "他在公园里读书。\n我们明天去北京。\n";
  CHECK_THAT(evaluate({"--hypothesis", file, "--reference", file}).err,
             test::contains("give --tokenize zh for Chinese"));
  const auto split = evaluate({"--hypothesis", file, "--reference", file, "--tokenize", "zh"});
  CHECK_THAT(split.err,
             !test::contains("BLEU: ") && test::contains("TER: the references have few spaces"));
  CHECK(evaluate({"--hypothesis", file, "--reference", file, "--tokenize", "zh", "--ter-normalized",
                  "--ter-asian-support"})
            .err.empty());
}

TEST_CASE("evaluate scores each sentence as sacreBLEU does", "[golden]") {
  const Texts texts;
  const std::vector<std::string> arguments = {
      "--hypothesis", texts.hypothesis,       "--reference",     texts.reference,
      "--metrics",    "bleu,chrf,chrf++,ter", "--sentence-level"};
  auto result = evaluate(arguments);
  CHECK(result.exit_code == 0);
  CHECK(result.out == "59.54\t73.48\t74.46\t20.00\n51.15\t74.79\t75.74\t16.67\n");
  CHECK_THAT(result.err, test::contains("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no"));
  CHECK_THAT(result.err, test::contains("BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp"));
  auto as_json = arguments;
  as_json.emplace_back("--json");
  result = evaluate(as_json);
  const auto first = json::parse(result.out.substr(0, result.out.find('\n')));
  REQUIRE(first.size() == 4);
  CHECK(std::abs(first.at("bleu").get<double>() - 59.54165059120785) < 1e-9);
  CHECK(std::abs(first.at("chrf").get<double>() - 73.48047145131365) < 1e-9);
  CHECK(std::abs(first.at("chrf++").get<double>() - 74.45598205396514) < 1e-9);
  CHECK(first.at("ter") == 20.0);
}

TEST_CASE("evaluate tests the difference from a baseline", "[unit]") {
  const Texts texts;
  for (const std::string test : {"bs", "ar"}) {
    CAPTURE(test);
    const auto result =
        evaluate({"--hypothesis", texts.other, "--against", texts.hypothesis, "--reference",
                  texts.reference, "--metrics", "ter", "--paired", test, "--json"});
    const auto ter = json::parse(result.out).at("ter");
    CHECK(ter.at("score") == 43.75);
    CHECK(ter.at("baseline").at("score") == 18.75);
    CHECK(ter.at("p_value").get<double>() < 0.05);
    CHECK(ter.at(test) == (test == "bs" ? "1000" : "10000"));
    const auto with_digits =
        evaluate({"--hypothesis", texts.other, "--against", texts.hypothesis, "--reference",
                  texts.reference, "--paired", test, "--json", "--digits", "4"});
    CHECK(with_digits.exit_code == (test == "bs" ? 0 : 2));  // digits of the interval's text
  }
}

TEST_CASE("evaluate warns if a system is compared with itself", "[unit]") {
  const Texts texts;
  const auto copy = texts.write("copy", test::content_of(texts.other));
  const auto result =
      evaluate({"--hypothesis", texts.other, "--against", copy, "--reference", texts.reference});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, test::contains("copy: is the same translation, line by line"));
}

TEST_CASE("evaluate warns of a reference without text", "[unit]") {
  const Texts texts;
  const auto lines = std::ranges::count(test::content_of(texts.other), '\n');
  const auto blank = texts.write("blank", std::string(static_cast<std::size_t>(lines), '\n'));
  const auto result = evaluate({"--hypothesis", texts.other, "--reference", blank});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, test::contains("blank: no line has text"));
}

TEST_CASE("evaluate reads standard input in place of a file", "[unit]") {
  const Texts texts;
  const auto result =
      evaluate({"--hypothesis", "-", "--reference", texts.reference, "--metrics", "bleu", "--json"},
               "A man in an orange hat is staring at something.\nTwo men are at the stove.");
  CHECK(std::abs(json::parse(result.out).at("bleu").at("score").get<double>() - 100.0) < 1e-9);
}

TEST_CASE("evaluate warns on stderr of text that looks tokenized", "[unit]") {
  const Texts texts;
  const auto tokens = texts.write("tokens", "A man .\nTwo men .\n");
  const std::vector<std::string> arguments = {"--hypothesis", tokens, "--reference",
                                              texts.reference};
  CHECK_THAT(evaluate(arguments).err, test::contains("tokens: many lines end in a space"));
  auto as_tokens = arguments;
  as_tokens.insert(as_tokens.end(), {"--tokenize", "none"});
  CHECK(evaluate(as_tokens).err.empty());
}

TEST_CASE("a list with an empty part is refused by the name of its option", "[unit]") {
  const auto refusal = [](const std::vector<std::string>& words) {
    const auto result = test::dragoman(words);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(refusal({"evaluate", "--metrics", "bleu", ",ter"}),
             test::contains("--metrics: \",ter\" has an empty part"));
  CHECK_THAT(refusal({"--log", "info", "evaluate", "--metrics", "bleu,,ter"}),
             test::contains("--metrics: \"bleu,,ter\" has an empty part"));
  CHECK_THAT(refusal({"bench", "attention", "--kinds=full,,local"}),
             test::contains("--kinds: \"full,,local\" has an empty part"));
}

TEST_CASE("evaluate refuses wrong options with exit code 2", "[unit]") {
  const Texts texts;
  const std::vector<std::string> files = {"--hypothesis", texts.hypothesis, "--reference",
                                          texts.reference};
  const std::vector<std::vector<std::string>> wrong = {
      {"--metrics", "rouge"},
      {"--tokenize", "14a"},
      {"--smooth", "x"},
      {"--paired", "bs"},
      {"--samples", "0", "--confidence"},
      {"--samples", "10000001", "--confidence"},
      {"--trials", "10000001", "--against", texts.hypothesis, "--paired", "ar"},
      {"--digits", "4", "--json"},
      {"--metrics", "bleu,ter,bleu"},
      {"--metrics", "bleu,,ter"},
      {"--metrics=bleu,"},
      {"--samples", "100"},
      {"--samples", "100", "--against", texts.hypothesis, "--paired", "ar"},
      {"--trials", "100", "--against", texts.hypothesis},
      {"--seed", "3"},
      {"--smooth-value", "0.1"},
      {"--smooth", "none", "--smooth-value", "0.1"},
      {"--max-ngram-order", "0"},
      {"--chrf-beta", "nan"},
      {"--smooth", "floor", "--smooth-value", "nan"},
      {"--smooth", "floor", "--smooth-value", "inf"},
      {"--metrics", "chrf", "--tokenize", "zh"},
      {"--metrics", "bleu", "--chrf-beta", "3"},
      {"--metrics", "chrf++", "--chrf-word-order", "1"},
      {"--metrics", "bleu,chrf", "--ter-normalized"},
      {"--sentence-level", "--confidence"},
      {"--sentence-level", "--against", texts.hypothesis}};
  for (const auto& options : wrong) {
    auto arguments = files;
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = evaluate(arguments);
    CAPTURE(options, result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_FALSE(result.err.empty());
  }
}

TEST_CASE("hostile texts for scoring end as their cases say", "[e2e]") {
  const auto measured = test::read_json(test::cases("hostile") / "measured.json");
  for (const auto& example : test::hostile_cases("score")) {
    const auto name = example.at("name").get<std::string>();
    const auto hypothesis = test::hostile_file(example, 0).string(),
               reference = test::hostile_file(example, 1).string();
    const auto result = evaluate({"--hypothesis", hypothesis, "--reference", reference, "--json"});
    CAPTURE(name, result.err);
    const bool taken = result.exit_code == 0;
    test::check_program_end(result);
    CHECK(test::allows_exit(example, result.exit_code));
    CHECK(test::allows_end(example, taken));
    if (taken) {
      if (example.at("expect") == "either" && !measured.contains(name)) continue;
      const auto expected = std::stod(measured.at(name).at("sacrebleu BLEU").get<std::string>());
      const auto score = json::parse(result.out).at("bleu").at("score").get<double>();
      CHECK(std::abs(score - expected) < 0.005);
    } else {
      test::check_refusal(example, result.err);
    }
  }
}

TEST_CASE("texts of different lengths and texts without lines are refused in these words",
          "[e2e]") {
  const auto lines_of = [](const std::string& file) {
    const auto text = test::content_of(file);
    const bool open_end = !text.empty() && text.back() != '\n';
    return std::to_string(std::count(text.begin(), text.end(), '\n') + (open_end ? 1 : 0));
  };
  int mismatches = 0, empty = 0;
  for (const auto& example : test::hostile_cases("score")) {
    const auto hypothesis = test::hostile_file(example, 0).string(),
               reference = test::hostile_file(example, 1).string();
    const auto of_hypothesis = lines_of(hypothesis), of_reference = lines_of(reference);
    const auto message = evaluate({"--hypothesis", hypothesis, "--reference", reference}).err;
    CAPTURE(example.at("name").get<std::string>(), message);
    if (example.value("message_where", "") == of_hypothesis + " and " + of_reference) {
      CHECK_THAT(message, test::contains(": has " + of_hypothesis + " line") &&
                              test::contains(" has " + of_reference + ";"));
      ++mismatches;
    } else if (of_hypothesis == "0" && of_reference == "0") {
      CHECK_THAT(message, test::contains("no lines"));
      ++empty;
    }
  }
  CHECK(mismatches > 0);
  CHECK(empty > 0);
}

}  // namespace evaluate_test
