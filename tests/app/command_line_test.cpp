#include "support/catch.h"
#include "support/program.h"

#include <algorithm>
#include <string>
#include <vector>

namespace command_line_test {

using test::contains;
using test::dragoman;
using Words = std::vector<std::string>;

namespace {

/// The one message of a wrong command line, without the name of the program.
std::string refused(const Words& arguments) {
  const auto result = dragoman(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  const std::string prefix = "dragoman: error: ";
  CHECK(result.err.rfind(prefix, 0) == 0);
  return result.err.substr(prefix.size());
}

}  // namespace

TEST_CASE("the program alone lists its commands in groups and ends with 2", "[unit]") {
  const auto result = dragoman({});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  const auto everyday = result.err.find("Everyday:"),
             inspect = result.err.find("Look into a model:"),
             research = result.err.find("Research:");
  REQUIRE(everyday < inspect);
  REQUIRE(inspect < research);
  REQUIRE(research != std::string::npos);
  CHECK(result.err.find("  translate ") < inspect);
  CHECK(result.err.find("  bench ") > research);
}

TEST_CASE("help of a command is the same as its option --help", "[unit]") {
  for (const Words& path : {Words{"train"}, Words{"tokenize", "encode"}, Words{}}) {
    auto asked = path;
    asked.insert(asked.begin(), "help");
    auto flag = path;
    flag.push_back("--help");
    const auto result = dragoman(asked);
    CHECK(result.exit_code == 0);
    CHECK(result.out == dragoman(flag).out);
  }
  CHECK_THAT(refused({"help", "trian"}),
             contains("no command trian; did you mean train? See 'dragoman --help'"));
}

TEST_CASE("a mistyped command or option gets a suggestion", "[unit]") {
  CHECK(refused({"traim"}) == "no command traim; did you mean train? See 'dragoman --help'\n");
  CHECK_THAT(refused({"tokenize", "encod"}),
             contains("tokenize: no command encod; did you mean encode?"));
  CHECK_THAT(refused({"fly"}), contains("no command fly; see 'dragoman --help'"));
  CHECK_THAT(refused({"translate", "--modle", "x"}),
             contains("translate: no option --modle; did you mean --model?"));
  CHECK_THAT(refused({"translate", "--beam_size=3", "-m", "x"}),
             contains("translate: no option --beam_size; did you mean --beam-size?"));
  CHECK_THAT(refused({"train", "--quux"}),
             contains("train: no option --quux; see 'dragoman train --help'"));
  CHECK_THAT(refused({"--preset", "tiny", "train"}),
             contains("train: --preset stands before the command; write it after its name"));
  CHECK_THAT(refused({"score", "stray"}), contains("score: takes no argument stray;"));
  CHECK_THAT(refused({"translate", "-m", "x", "/dev/null"}),
             contains("translate: takes no argument /dev/null; did you mean --input /dev/null?"));
  CHECK_THAT(refused({"evaluate", "/dev/null"}), contains("did you mean --hypothesis /dev/null?"));
  CHECK_THAT(refused({"translate", "/dev"}), contains("did you mean --model /dev?"));
}

TEST_CASE("options of other programs get a hint that names ours, command by command", "[unit]") {
  const std::vector<Words> hints = {{"translate", "--beam", "--beam-size"},
                                    {"translate", "--lenpen", "--length-penalty"},
                                    {"translate", "--alpha", "--length-penalty"},
                                    {"translate", "--batch-size", "--batch-tokens"},
                                    {"translate", "--fp16", "--precision NAME"},
                                    {"translate", "--num-threads", "--workers"},
                                    {"translate", "--cpu-threads", "--workers"},
                                    {"translate", "--nbest", "--n-best"},
                                    {"translate", "--src", "--input"},
                                    {"translate", "--model_path", "--model"},
                                    {"evaluate", "--ref", "--reference"},
                                    {"evaluate", "--hyp", "--hypothesis"},
                                    {"evaluate", "--src", "--source"},
                                    {"evaluate", "--metric", "--metrics"},
                                    {"train", "--lr", "--learning-rate"},
                                    {"train", "--batch-size", "--batch-tokens"},
                                    {"train", "--epochs", "--set train.max_epochs=N"},
                                    {"train", "--fp16", "--set train.precision=bf16"},
                                    {"train", "--gpu", "--device"},
                                    {"train", "--data", "--train-source"},
                                    {"train", "--save-dir", "--output"},
                                    {"train", "--resume", "--output RUN_DIR (resumes"},
                                    {"train", "--overwrite", "--output RUN_DIR (a new folder"},
                                    {"train", "--eval-steps", "--set train.validate_every=N"},
                                    {"translate", "--format", "--json"},
                                    {"score", "--hypothesis", "--target"},
                                    {"train", "--restore-file", "--start-from"},
                                    {"translate", "--load-checkpoint", "--model"},
                                    {"train", "--max-update", "--max-steps"},
                                    {"train", "--dropout", "--set model.dropout=..."},
                                    {"train", "--vocab-size", "--set tokenizer.vocab_size=N"}};
  for (const auto& hint : hints) {
    CAPTURE(hint[0], hint[1]);
    CHECK_THAT(refused({hint[0], hint[1], "4"}),
               contains("no option " + hint[1] + "; did you mean " + hint[2]));
  }
}

TEST_CASE("a hint names no option that the command would refuse", "[unit]") {
  const std::string run = "x";
  for (const Words& wrong :
       {Words{"bench", "translate", "-m", run, "--source", "x", "--threads", "2"},
        Words{"evaluate", "-m", run, "--reference", "x", "--vocab-size", "3"},
        Words{"info", "-m", run, "--beam-size", "2"},
        Words{"convert", run, "-o", "x", "--to", "marian", "--beam-size", "2"}}) {
    CAPTURE(wrong);
    const auto message = refused(wrong);
    CHECK_THAT(message, contains("no option --") && !contains("did you mean --set"));
  }
  CHECK_THAT(refused({"bench", "translate", "-m", run, "--source", "x", "--max-length", "2"}),
             contains("did you mean --set search.max_length=..."));
}

TEST_CASE("an empty value is refused instead of taken for the default", "[unit]") {
  for (const Words& wrong :
       {Words{"translate", "-m", "x", "--beam-size", ""}, Words{"translate", "-m", ""},
        Words{"score", "-m", "x", "--source", ""},
        Words{"evaluate", "--hypothesis", "x", "--reference", ""},
        Words{"train", "--preset", "tiny", "--seed", ""}}) {
    CAPTURE(wrong);
    CHECK_THAT(refused(wrong), contains("has an empty value"));
  }
}

TEST_CASE("an argument without an option is named as in the help", "[unit]") {
  CHECK_THAT(refused({"experiment", "run", "-o", "x"}), contains("NAMES is required; see "));
  CHECK_THAT(refused({"completion", "nope"}), contains("SHELL: \"nope\" is not one of bash, "));
}

TEST_CASE("a short option with = is told how to write it", "[unit]") {
  CHECK(refused({"translate", "-m=runs/demo"}) ==
        "-m=runs/demo: a short option takes no =; write -m runs/demo\n");
}

TEST_CASE("two options of which one is enough are told so", "[unit]") {
  CHECK_THAT(refused({"train", "--preset", "tiny", "--start-from", "x", "-o", "y"}),
             contains("excludes") && contains("; give one of them; see 'dragoman train --help'"));
}

TEST_CASE("options of training in other programs are told ours", "[unit]") {
  const auto meant = [](const std::string& option) {
    return refused({"train", "--preset", "tiny", option, "x"});
  };
  CHECK_THAT(meant("--max-length"), contains("did you mean --set data.max_length=N?"));
  CHECK_THAT(meant("--no-early-stopping"), contains("did you mean --set train.patience=0?"));
  CHECK_THAT(meant("--checkpoint-interval"), contains("--set train.checkpoint_every=N?"));
  CHECK_THAT(meant("--validation-source"), contains("did you mean --valid-source?"));
}

TEST_CASE("a wrong DRAGOMAN_CPU ends every command at once", "[unit]") {
  const auto result = test::run({test::program(), "train", "--preset", "tiny", "-o", "none"},
                                {.variables = {{"DRAGOMAN_CPU", "AVX2"}}});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, contains("DRAGOMAN_CPU: \"AVX2\" is none of "));
}

TEST_CASE("a wrong number is shown as it was typed, and its range as people write it", "[unit]") {
  const auto translate = [](const std::string& option, const std::string& value) {
    return refused({"translate", "-m", "x", option, value});
  };
  CHECK_THAT(translate("--beam-size", "99999999999999999999"),
             contains("--beam-size: 99999999999999999999 is out of range"));
  CHECK_THAT(translate("--beam-size", "four"),
             contains("--beam-size: expected a whole number, got \"four\""));
  CHECK_THAT(translate("--beam-size", "0x4"), contains("expected a whole number, got \"0x4\""));
  CHECK_THAT(translate("--length-penalty", "nan"), contains("expected a number, got \"nan\""));
  CHECK_THAT(translate("--length-penalty", "1e999"), contains("1e999 is out of range"));
  CHECK_THAT(translate("--batch-lines", "0"),
             contains("--batch-lines: 0 is outside the range: at least 1"));
  CHECK_THAT(refused({"bench", "train", "--seconds", "0"}),
             contains("--seconds: 0 is outside the range: above 0"));
  CHECK_THAT(refused({"explain", "--digits", "18"}),
             contains("--digits: 18 is outside the range: 0 to 17"));
}

TEST_CASE("a word that an option does not choose from is told the others", "[unit]") {
  CHECK_THAT(
      refused({"train", "--preset", "smal"}),
      contains(
          "--preset: \"smal\" is not one of tiny, small, base, big, auto; did you mean small?"));
  CHECK_THAT(refused({"--log", "loud", "train"}),
             contains("is not one of error, warning, info, debug"));
}

TEST_CASE("an option without its value, or with two, is refused in plain words", "[unit]") {
  CHECK_THAT(refused({"translate", "-m", "x", "--beam-size"}),
             contains("--beam-size: its value is missing"));
  CHECK_THAT(refused({"translate", "-m", "x", "--beam-size", "1", "--beam-size", "2"}),
             contains("--beam-size: takes one value and was given more"));
}

TEST_CASE("the log has warnings and errors only with --quiet, and the time of day with --log-time",
          "[unit]") {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto timed = dragoman({"info", "-m", "no-such-run", "--log-time", "--quiet"});
  CHECK(timed.exit_code == 1);
  REQUIRE(timed.err.size() > 9);
  CHECK((is_digit(timed.err[0]) && timed.err[2] == ':' && timed.err[5] == ':' &&
         is_digit(timed.err[7])));
  CHECK_THAT(timed.err, contains(" dragoman: error: "));
  CHECK_THAT(refused({"--quiet", "--log", "debug", "info", "--defaults"}), contains("--quiet"));
}

}  // namespace command_line_test
