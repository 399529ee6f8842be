#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace prune_test {

namespace {

using test::dragoman;

/// A small trained run to take heads from.
class PrunedRuns {
 public:
  PrunedRuns() {
    test::write_letters(folder_ / "a.src", folder_ / "a.tgt");
    const auto trained = dragoman(test::tiny_training(path("a.src"), path("a.tgt"), path("run")));
    if (trained.exit_code != 0) throw std::runtime_error(trained.err);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  test::ProcessResult prune(const std::string& from, const std::string& to,
                            const std::vector<std::string>& more) const {
    return dragoman(test::with({"prune", "-m", path(from), "-o", path(to)}, more));
  }

  std::vector<std::string> text() const {
    return {"--source", path("a.src"), "--target", path("a.tgt"), "--limit", "20"};
  }

 private:
  test::TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("a pruned run is smaller, translates, is analysed, pruned again and trained on",
          "[e2e]") {
  const PrunedRuns runs;
  const auto pruned = runs.prune("run", "half", test::with({"--fraction", "0.5"}, runs.text()));
  CAPTURE(pruned.err);
  REQUIRE(pruned.exit_code == 0);
  CHECK_THAT(pruned.err, test::contains("removed 3 of 6 heads: "));
  const auto file = [&](const std::string& run) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(runs.path(run)))
      if (entry.path().filename() == "model.safetensors")
        return std::filesystem::file_size(entry.path());
    return std::uintmax_t{0};
  };
  CHECK(file("half") > 0);
  CHECK(file("half") < file("run"));
  test::ProcessInput lines;
  lines.text = "a b c\nd e f g h\n";
  const auto translated =
      dragoman({"translate", "-m", runs.path("half"), "--max-length", "12"}, lines);
  CAPTURE(translated.err);
  CHECK(translated.exit_code == 0);
  CHECK(std::count(translated.out.begin(), translated.out.end(), '\n') == 2);
  const auto info = dragoman({"info", "-m", runs.path("half")});
  CHECK_THAT(info.out, test::contains("3 heads are pruned"));
  const auto ranked = dragoman(test::with(
      {"analyze", "heads", "-m", runs.path("half"), "--importance", "--json"}, runs.text()));
  CAPTURE(ranked.err);
  REQUIRE(ranked.exit_code == 0);
  const auto remaining = nlohmann::json::parse(ranked.out);
  CHECK(remaining.at("pruning_order").size() == 3);
  const auto heads =
      dragoman(test::with({"analyze", "heads", "-m", runs.path("half"), "--json"}, runs.text()));
  CHECK(nlohmann::json::parse(heads.out).at("heads").size() == 3);

  const auto none = runs.prune("half", "none", test::with({"--fraction", "1"}, runs.text()));
  CAPTURE(none.err);
  CHECK(none.exit_code == 0);
  CHECK(dragoman({"translate", "-m", runs.path("none"), "--max-length", "12", "--no-cache"}, lines)
            .out ==
        dragoman({"translate", "-m", runs.path("none"), "--max-length", "12"}, lines).out);
  for (const std::string from : {"half", "none"}) {
    const auto trained = dragoman({"train", "--start-from", runs.path(from), "-o",
                                   runs.path(from + "-on"), "--set", "train.max_steps=3"});
    CAPTURE(trained.err);
    CHECK(trained.exit_code == 0);
    CHECK_THAT(trained.err, test::contains("ended at step 3"));
  }
}

TEST_CASE("training on begins with the weights and pieces of the other run", "[e2e]") {
  const PrunedRuns runs;
  const auto trained = dragoman({"train", "--start-from", runs.path("run"), "-o", runs.path("on"),
                                 "--set", "train.max_steps=1", "train.learning_rate=1e-9"});
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);
  const auto score = [&](const std::string& run) {
    return dragoman({"score", "-m", runs.path(run), "--source", runs.path("a.src"), "--target",
                     runs.path("a.tgt")})
        .out;
  };
  std::istringstream before(score("run")), after(score("on"));
  int compared = 0;
  for (std::string one, other; std::getline(before, one) && std::getline(after, other); ++compared)
    CHECK(std::stod(one) == test::Approx(std::stod(other)).epsilon(1e-4));
  CHECK(compared > 0);
  const auto both = dragoman(
      {"train", "--start-from", runs.path("run"), "--preset", "tiny", "-o", runs.path("x")});
  CHECK(both.exit_code == 2);
}

TEST_CASE("a run without cross-attention is analysed and pruned again", "[e2e]") {
  const PrunedRuns runs;
  REQUIRE(runs.prune("run", "apart", {"--heads", "cross:1.1,cross:1.2"}).exit_code == 0);
  const auto heads = dragoman(test::with(
      {"analyze", "heads", "-m", runs.path("apart"), "--importance", "--json"}, runs.text()));
  CAPTURE(heads.err);
  REQUIRE(heads.exit_code == 0);
  const auto report = nlohmann::json::parse(heads.out);
  REQUIRE(report.at("pruning_order").size() == 4);
  for (const auto& head : report.at("pruning_order"))
    CHECK((head.at("kind") == "encoder") == (head.at("importance") == 0.0));
  const auto again = runs.prune("apart", "less", test::with({"--fraction", "0.5"}, runs.text()));
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
}

TEST_CASE("pruning the wrong heads, or into a folder in use, leaves nothing behind", "[e2e]") {
  const PrunedRuns runs;
  const auto absent = runs.prune("run", "out", {"--heads", "cross:9.1"});
  CHECK(absent.exit_code == 2);
  CHECK_THAT(absent.err, test::contains("head cross 9.1: this model has"));
  CHECK_FALSE(std::filesystem::exists(runs.path("out/checkpoints")));
  CHECK(runs.prune("run", "out", {"--heads", "cross"}).exit_code == 2);
  CHECK(runs.prune("run", "out", {"--fraction", "0"}).exit_code == 2);
  for (const char* fraction : {"nan", "inf", "1.5", "-0.1"}) {
    const auto wrong = runs.prune("run", "out", {"--fraction", fraction, "--order", "random"});
    CAPTURE(fraction, wrong.err);
    CHECK(wrong.exit_code == 2);
    CHECK_THAT(wrong.err, test::contains("--fraction: "));
  }
  CHECK(runs.prune("run", "out", {"--heads", "cross:1.1", "--order", "random"}).exit_code == 2);
  CHECK(runs.prune("run", "out", test::with({"--heads", "cross:1.1"}, runs.text())).exit_code == 2);
  CHECK(runs.prune("run", "out", {"--fraction", "0.5", "--seed", "3"}).exit_code == 2);
  CHECK(
      runs.prune("run", "out", test::with({"--fraction", "0.5", "--order", "random"}, runs.text()))
          .exit_code == 2);
  const auto textless = runs.prune("run", "out", {"--fraction", "0.5"});
  CHECK(textless.exit_code == 2);
  CHECK_THAT(textless.err, test::contains("importance is measured on a text"));
  CHECK(runs.prune("run", "run", {"--heads", "cross:1.1"}).exit_code == 1);
  CHECK(runs.prune("run", "out", {"--heads", "cross:1.1"}).exit_code == 0);
}

TEST_CASE("a curve that cannot be written is refused before anything is pruned", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto text = (folder / "text").string();
  std::ofstream(text) << "a b\n";
  const auto result = dragoman({"analyze", "pruning", "-m", test::small_run().string(), "--source",
                                text, "--target", text, "--test-source", text, "--test-target",
                                text, "--plot", (folder / "missing" / "curve.svg").string()});
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, test::contains("curve.svg: "));
}

TEST_CASE("the pruning curve has a point for each tenth that prunes more heads, in every form",
          "[e2e]") {
  const PrunedRuns runs;
  std::ofstream(runs.path("t.src")) << "a b c\nd e f g\n";
  std::ofstream(runs.path("t.tgt")) << "c b a\ng f e d\n";
  const auto result =
      dragoman(test::with({"analyze", "pruning", "-m", runs.path("run"), "--test-source",
                           runs.path("t.src"), "--test-target", runs.path("t.tgt"), "--seeds", "2",
                           "--json", "--plot", runs.path("curve.svg")},
                          runs.text()));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto curve = nlohmann::json::parse(result.out);
  const auto& points = curve["by_importance"];
  REQUIRE(points.size() == 6);
  REQUIRE(curve["at_random"].size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(points[i]["heads"] == i);
    CHECK(points[i]["fraction"].get<double>() ==
          test::Approx(static_cast<double>(i) / curve["heads"].get<double>()));
  }
  CHECK(curve["at_random"][5]["bleu"].size() == 2);
  CHECK(curve["at_random"][5]["scoring_ms"].size() == 2);
  CHECK(points[5]["scoring_ms"][0] > 0.0);
  CHECK(points[5]["parameters"] < points[0]["parameters"]);
  std::ifstream plot(runs.path("curve.svg"));
  CHECK_THAT(std::string(std::istreambuf_iterator<char>(plot), {}), test::contains("<svg"));
}

TEST_CASE("the pruning curve of text without spaces has BLEU of characters", "[e2e]") {
  const PrunedRuns runs;
  std::ofstream(runs.path("t.src")) << "a b c\nd e f g\n";
  std::ofstream(runs.path("t.tgt")) << "cbacba\ngfedgfed\n";
  const auto result =
      dragoman(test::with({"analyze", "pruning", "-m", runs.path("run"), "--test-source",
                           runs.path("t.src"), "--test-target", runs.path("t.tgt"), "--seeds", "1"},
                          runs.text()));
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, test::contains("BLEU: of characters, as the references have 1.0 tokens"));
}

TEST_CASE("a model whose heads are all removed has none to remove", "[e2e]") {
  const PrunedRuns runs;
  REQUIRE(runs.prune("run", "none", {"--fraction", "1", "--order", "random"}).exit_code == 0);
  const auto again = runs.prune("none", "less", test::with({"--fraction", "0.5"}, runs.text()));
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, test::contains("prune: the model has no attention heads"));
  const auto aligned =
      dragoman(test::with({"analyze", "alignment", "-m", runs.path("none")}, runs.text()));
  CHECK(aligned.exit_code == 2);
  CHECK_THAT(aligned.err, test::contains("have been pruned"));
}

}  // namespace prune_test
