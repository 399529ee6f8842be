#include "support/catch.h"
#include "support/model_folders.h"
#include "support/program.h"
#include "support/shared.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace languages_test {

using test::dragoman;

namespace {

/// A model that turns letters into capitals, or leaves them, by its target's tag.
struct LanguagesRun {
  test::TemporaryDirectory folder;
  std::string small = (folder / "small").string(), capital = (folder / "capital").string(),
              path = (folder / "run").string();

  LanguagesRun() { test::write_letters(folder / "small", folder / "capital"); }

  std::vector<std::string> training(const std::vector<std::string>& settings) const {
    auto arguments = test::tiny_training(small, capital, path);
    for (auto* name : {"--train-source", "--train-target"}) {
      const auto at = std::ranges::find(arguments, name);
      arguments.insert(at + 2, small);
    }
    return test::with(arguments, settings);
  }
};

std::int64_t words_in_first(const std::string& file) {
  const auto text = test::content_of(file);
  return 1 + std::ranges::count(text.substr(0, text.find('\n')), ' ');
}

}  // namespace

TEST_CASE("a model of two target languages is told which by --to or by the line", "[e2e]") {
  const LanguagesRun run;
  const auto settings = std::vector<std::string>{"data.target_tag=[\"up\",\"same\"]",
                                                 "data.source_tag=[\"low\",\"\"]"};
  const auto checked = dragoman(test::with(run.training(settings), {"--check"}));
  CAPTURE(checked.err);
  CHECK(checked.exit_code == 0);
  const auto trained = dragoman(run.training(settings));
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);
  CHECK_THAT(trained.err, test::contains(" --to up < INPUT"));
  const auto info = dragoman({"info", "-m", run.path});
  CHECK_THAT(info.out, test::contains("translates into             same, up\n"));
  CHECK_THAT(info.out, test::contains("translates from             low\n"));

  test::ProcessInput plain, tagged, half_tagged;
  half_tagged.text = ">>same<< a b\nd e\n";
  plain.text = "a b c\nd e\n";
  tagged.text = ">>up<< a b c\n>>up<<d e\n";
  const auto translate = [&](const std::vector<std::string>& more,
                             const test::ProcessInput& lines) {
    return dragoman(test::with({"translate", "-m", run.path, "--json"}, more), lines);
  };
  const auto told = translate({"--to", "up"}, plain);
  CHECK(told.exit_code == 0);
  CHECK(told.out == translate({}, tagged).out);
  CHECK(told.out != translate({"--to", "same"}, plain).out);
  CHECK(told.out != translate({"--to", "up", "--from", "low"}, plain).out);
  CHECK(translate({"--from", "low"}, tagged).out ==
        translate({"--to", "up", "--from", "low"}, plain).out);
  CHECK(told.err.find("translates into") == std::string::npos);
  CHECK(translate({}, tagged).err.find("translates into") == std::string::npos);
  CHECK_THAT(
      translate({}, half_tagged).err,
      test::contains("line 2: names no language, and the model translates into 2 languages: name "
                     "one by --to, or begin each line with its tag, such as >>same<<"));
  CHECK_THAT(translate({"--to", "up"}, half_tagged).err,
             test::contains("line 1: begins with >>same<<, and a target language is given for "
                            "all lines, too: remove the tag, or leave out --to"));
  const auto refused = translate({"--to", "down"}, plain);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             test::contains("down: the model translates into same, up; choose one of these"));

  const auto score = [&](const std::string& to) {
    return dragoman(
        {"score", "-m", run.path, "--source", run.small, "--target", run.capital, "--to", to});
  };
  CHECK(score("up").exit_code == 0);
  CHECK(score("up").out != score("same").out);
  const auto evaluated = dragoman({"evaluate", "-m", run.path, "--source", run.small, "--reference",
                                   run.capital, "--to", "up"});
  CAPTURE(evaluated.err);
  CHECK(evaluated.exit_code == 0);

  const auto untold = test::contains("line 1: names no language, and the model translates into 2");
  const auto explained = [&](const std::vector<std::string>& more) {
    return dragoman(test::with({"explain", "-m", run.path, "a b c"}, more));
  };
  CHECK_THAT(explained({"--to", "up"}).out, test::contains(">>up<<"));
  CHECK_THAT(explained({"--to", "up"}).err, !untold);
  CHECK_THAT(explained({}).out, !test::contains(">>up<<"));
  CHECK_THAT(explained({}).err, untold);
  const auto heads = [&](const std::string& to) {
    const auto made = dragoman({"analyze", "heads", "-m", run.path, "--source", run.small,
                                "--target", run.capital, "--to", to});
    CHECK(made.exit_code == 0);
    return made.out;
  };
  CHECK(heads("up") != heads("same"));
  // Words are those of the text: the tag is none of them.
  const auto aligned = dragoman({"analyze", "alignment", "-m", run.path, "--source", run.small,
                                 "--target", run.capital, "--to", "up", "--limit", "1"});
  CHECK_THAT(aligned.out, test::contains("0-0"));
  CHECK_THAT(aligned.out, !test::contains(std::to_string(words_in_first(run.small)) + "-"));
  for (const auto* analysis : {"heads", "alignment", "explanation"})
    CHECK_THAT(dragoman({"analyze", analysis, "-m", run.path, "--source", run.small, "--target",
                         run.capital})
                   .err,
               untold);
  CHECK_THAT(dragoman({"analyze", "attention", "-m", run.path, "a b c"}).err, untold);
  const auto quantised =
      dragoman({"convert", "--to", "dragoman", "--quantize", "bf16", run.path, "-o",
                run.folder / "bf16", "--source", run.small, "--reference", run.capital});
  CHECK(quantised.exit_code == 0);
  CHECK_THAT(quantised.err, untold && !test::contains("by --to"));

  const auto page = [&](const std::string& to) {
    const auto file = run.folder / (to + ".html");
    const auto made = dragoman({"report", "-m", run.path, "-o", file.string(), "--source",
                                run.small, "--reference", run.capital, "--to", to});
    CHECK(made.exit_code == 0);
    return test::content_of(file);
  };
  CHECK(page("up") != page("same"));

  const auto plain_run = (run.folder / "plain").string();
  REQUIRE(dragoman(test::tiny_training(run.small, run.capital, plain_run)).exit_code == 0);
  const auto compared = [&](const std::vector<std::string>& runs) {
    return dragoman(test::with({"report", "-o", (run.folder / "both.html").string(), "--source",
                                run.small, "--reference", run.capital, "--to", "up"},
                               runs));
  };
  CHECK(compared({"-m", plain_run, "-m", run.path}).exit_code == 0);
  CHECK(compared({"-m", plain_run}).exit_code == 2);
}

TEST_CASE("languages that are not named are told of, in training and in use", "[e2e]") {
  const LanguagesRun run;
  const auto trained = dragoman(
      run.training({"data.target_tag=[\"up\",\"same\"]", "data.source_tag=[\"low\",\"small\"]"}));
  REQUIRE(trained.exit_code == 0);
  CHECK_THAT(trained.err, test::contains(" --to up --from low < INPUT"));
  const auto score = [&](const std::vector<std::string>& more) {
    const auto result = dragoman(test::with(
        {"score", "-m", run.path, "--source", run.small, "--target", run.small, "--to", "same"},
        more));
    CHECK(result.exit_code == 0);
    return result.err;
  };
  constexpr const char* missing = "name it by --from: low or small";
  CHECK_THAT(score({}), test::contains(missing));
  CHECK_THAT(score({"--from", "low"}), !test::contains(missing));
  const auto tuned = (run.folder / "tuned").string();
  for (const auto& more : std::vector<std::vector<std::string>>{{"--check"}, {}}) {
    const auto result =
        dragoman(test::with({"train", "--start-from", run.path, "--train-source", run.small,
                             "--train-target", run.small, "-o", tuned, "--max-steps", "1", "--set",
                             "data.target_tag=[]", "data.source_tag=[]"},
                            more));
    CHECK(result.exit_code == 0);
    const auto told = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    CHECK_THAT(told,
               test::contains("names no language, and the model translates into 2 languages"));
  }
}

TEST_CASE("a model with a token for each language translates between any two of them", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto model = test::folder_of_family("m2m100");
  const auto golden = test::read_json(model / "golden.json");
  const auto from = golden.at("source_language").get<std::string>(),
             to = golden.at("target_language").get<std::string>(), run = (folder / "run").string(),
             pair = (folder / "pair").string();
  REQUIRE(dragoman({"convert", "--from", "auto", model.string(), "-o", run}).exit_code == 0);
  REQUIRE(dragoman({"convert", "--from", "auto", model.string(), "-o", pair, "--source-language",
                    from, "--target-language", to})
              .exit_code == 0);
  const auto info = dragoman({"info", "-m", run});
  CHECK_THAT(info.out, !test::contains("by default"));
  CHECK_THAT(dragoman({"info", "-m", pair}).out,
             test::contains("from, by default            " + from + "\n") &&
                 test::contains("into, by default            " + to + "\n"));
  std::smatch between;
  REQUIRE(std::regex_search(info.out, between, std::regex("translates between +([^\n]+)")));
  const auto listed = ", " + between[1].str() + ", ";
  CHECK_THAT(listed, test::contains(", " + from + ", ") && test::contains(", " + to + ", "));
  test::ProcessInput lines;
  for (const auto& sentence : golden.at("sentences"))
    if (lines.text.empty() && !sentence.at("pieces").empty())
      lines.text = sentence.at("text").get<std::string>() + '\n';
  const auto translated = [&](const std::string& by, const std::vector<std::string>& more) {
    return dragoman(test::with({"translate", "-m", by, "--json"}, more), lines);
  };
  const auto named = translated(run, {"--from", from, "--to", to});
  CHECK(named.exit_code == 0);
  CHECK(named.out == translated(pair, {}).out);
  CHECK(named.out != translated(run, {"--from", to, "--to", from}).out);
  CHECK(translated(run, {"--from", to, "--to", from}).out ==
        translated(pair, {"--from", to, "--to", from}).out);
  for (const auto& more : {std::vector<std::string>{}, {"--to", to}, {"--from", from}}) {
    const auto refused = translated(run, more);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("none is chosen for this text"));
  }
  const auto explain = [&](const std::vector<std::string>& more) {
    return dragoman(test::with({"explain", "-m", run, "a"}, more));
  };
  CHECK(explain({}).exit_code == 2);
  CHECK(explain({"--from", from, "--to", to}).exit_code == 0);
  test::write_letters(folder / "small", folder / "capital");
  const auto train = [&](const std::string& by, const std::vector<std::string>& more) {
    return dragoman(test::with(
        {"train", "--start-from", by, "--train-source", folder / "small", "--train-target",
         folder / "capital", "-o", folder / "further", "--set", "train.max_steps=1"},
        more));
  };
  CHECK_THAT(train(run, {}).err, test::contains("none is chosen for this text"));
  CHECK_THAT(train(pair, {"data.target_tag=[\"" + from + "\"]"}).err,
             test::contains("data.target_tag: a model with a token for each language"));
  CHECK_FALSE(std::filesystem::exists(folder / "further"));
  CHECK(train(pair, {}).exit_code == 0);
  CHECK(translated(folder / "further", {"--from", to, "--to", from}).exit_code == 0);
}

TEST_CASE("a validation text has the languages in which all corpora agree", "[e2e]") {
  const LanguagesRun run;
  const auto trained = dragoman(test::with(
      run.training({"data.target_tag=[\"up\",\"up\"]", "data.source_tag=[\"low\",\"low\"]",
                    "train.validate_every=2", "train.precision=float32"}),
      {"--valid-source", run.small, "--valid-target", run.capital}));
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);
  CHECK_THAT(trained.err, !test::contains("names several source languages"));
  nlohmann::json last;
  std::ifstream records(run.path + "/train.jsonl");
  for (std::string line; std::getline(records, line);)
    if (auto record = nlohmann::json::parse(line); record.at("event") == "validation")
      last = std::move(record);
  const auto nll_with = [&](const std::vector<std::string>& languages) {
    const auto result =
        dragoman(test::with({"evaluate", "-m", run.path, "--checkpoint", "latest", "--source",
                             run.small, "--reference", run.capital, "--json"},
                            languages));
    return nlohmann::json::parse(result.out).at("likelihood").at("nll").get<double>();
  };
  const auto nll = last.at("nll").get<double>();
  CHECK(nll_with({"--from", "low", "--to", "up"}) == test::Approx(nll).epsilon(1e-4));
  CHECK(nll_with({}) != test::Approx(nll).epsilon(1e-4));
}

TEST_CASE("tags are as many as corpora, and a model that is trained further knows its own",
          "[e2e]") {
  const LanguagesRun run;
  const auto one = dragoman(run.training({"data.target_tag=[\"up\"]"}));
  CHECK(one.exit_code == 2);
  CHECK_THAT(one.err, test::contains(": 1 tag, but data.train_source has 2 files"));
  const auto odd = dragoman(run.training({"data.target_tag=[\"up\",\"<<\"]"}));
  CHECK(odd.exit_code == 2);
  CHECK_THAT(odd.err,
             test::contains("data.target_tag=[\"up\",\"<<\"]: << has other characters than"));
  REQUIRE(dragoman(run.training({"data.target_tag=[\"up\",\"same\"]"})).exit_code == 0);
  const auto further = [&](const std::string& tags) {
    return dragoman({"train", "--start-from", run.path, "--train-source", run.small,
                     "--train-target", run.capital, "-o", (run.folder / ("more" + tags)).string(),
                     "--set", "data.target_tag=[\"" + tags + "\"]"});
  };
  CHECK(further("up").exit_code == 0);
  const auto untagged =
      dragoman({"train", "--start-from", run.path, "--train-source", run.small, "--train-target",
                run.capital, "-o", (run.folder / "untagged").string()});
  CHECK(untagged.exit_code == 2);
  CHECK_THAT(untagged.err, test::contains("has [\"up\",\"same\"] for its corpora") &&
                               test::contains("--set 'data.target_tag=[\"up\"]'"));
  const auto unknown = further("down");
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, test::contains("down: the model translates into same, up"));
}

TEST_CASE("a target prefix that holds the end of a translation is refused with its line", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto model = test::folder_of_family("nllb");
  const auto golden = test::read_json(model / "golden.json");
  const auto run = (folder / "run").string(), prefixes = (folder / "prefixes").string();
  REQUIRE(
      dragoman({"convert", "--from", "auto", model.string(), "-o", run, "--source-language",
                golden.at("source_language"), "--target-language", golden.at("target_language")})
          .exit_code == 0);
  test::ProcessInput lines;
  lines.text = "a\n\nb\n";
  const auto translated = [&](const std::string& prefix) {
    std::ofstream(prefixes) << "a\n\n" << prefix << '\n';
    return dragoman({"translate", "-m", run, "--target-prefix", prefixes}, lines);
  };
  const auto usual = translated("b");
  CHECK(usual.exit_code == 0);
  CHECK_THAT(usual.err, !test::contains("not used"));  // that of the blank line has a language only
  const auto refused = translated("</s> b");
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("target prefix: line 3: contains the piece that ends"));
}

}  // namespace languages_test
