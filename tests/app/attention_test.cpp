#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace attention_test {

namespace {

using test::dragoman;

class Runs {
 public:
  Runs() { test::write_letters(folder_ / "a.src", folder_ / "a.tgt"); }

  std::string path(const std::string& run) const { return (folder_ / run).string(); }

  test::ProcessResult train(const std::string& run,
                            const std::vector<std::string>& settings) const {
    return dragoman(
        test::with(test::tiny_training(path("a.src"), path("a.tgt"), path(run)), settings));
  }

  test::ProcessResult translate(const std::string& run,
                                const std::vector<std::string>& more = {}) const {
    test::ProcessInput lines;
    lines.text = "a b c\nd e f g h\nq\n";
    return dragoman(
        test::with({"translate", "-m", path(run), "--max-length", "12", "--scores"}, more), lines);
  }

 private:
  test::TemporaryDirectory folder_;
};

/// The same texts, with scores that differ by rounding at most.
void check_same_translations(const std::string& a, const std::string& b) {
  std::istringstream a_lines(a), b_lines(b);
  for (std::string one, other; std::getline(a_lines, one) && std::getline(b_lines, other);) {
    const auto end = one.rfind(" ||| ");
    REQUIRE(end != std::string::npos);
    CHECK(one.substr(0, end) == other.substr(0, end));
    CHECK(std::stod(one.substr(end + 5)) ==
          test::Approx(std::stod(other.substr(end + 5))).epsilon(1e-5));
  }
  CHECK(std::count(a.begin(), a.end(), '\n') == std::count(b.begin(), b.end(), '\n'));
}

}  // namespace

TEST_CASE("every attention is trained, saved, loaded and decoded with, cached or not",
          "[e2e][slow]") {
  const Runs runs;
  for (const std::string kind :
       {"full", "tiled", "fused_torch", "local", "dilated", "strided", "strided_relative",
        "sparse_strided", "sparse_fixed", "global_local", "longformer", "linear", "low_rank"}) {
    CAPTURE(kind);
    std::vector<std::string> settings = {"model.encoder_attention.kind=" + kind,
                                         "model.encoder_attention.radius=2"};
    if (kind != "low_rank") settings.push_back("model.decoder_attention.kind=" + kind);
    const auto trained = runs.train(kind, settings);
    CAPTURE(trained.err);
    REQUIRE(trained.exit_code == 0);
    const auto cached = runs.translate(kind);
    CAPTURE(cached.err);
    CHECK(cached.exit_code == 0);
    CHECK(std::count(cached.out.begin(), cached.out.end(), '\n') == 3);
    check_same_translations(runs.translate(kind, {"--no-cache"}).out, cached.out);
  }
}

TEST_CASE("attention is chosen for each layer and head by a configuration", "[e2e]") {
  const Runs runs;
  const auto trained = runs.train(
      "mixed",
      {R"(model.encoder_attention=[{"heads":[{"kind":"local","radius":1},{"kind":"linear"}]}])",
       R"(model.decoder_attention={"kind": "global_local", "radius": 1})"});
  CAPTURE(trained.err);
  REQUIRE(trained.exit_code == 0);
  CHECK(runs.translate("mixed").exit_code == 0);
}

TEST_CASE("a trained attention gives way to an equal one only, unless forced", "[e2e]") {
  const Runs runs;
  REQUIRE(runs.train("full", {}).exit_code == 0);
  const auto full = runs.translate("full");
  for (const std::string kind : {"tiled", "fused_torch"}) {
    const auto other = runs.translate("full", {"--set", "model.encoder_attention.kind=" + kind,
                                               "model.decoder_attention.kind=" + kind});
    CAPTURE(other.err);
    CHECK(other.exit_code == 0);
    check_same_translations(other.out, full.out);
  }
  const auto refused = runs.translate("full", {"--set", "model.encoder_attention.kind=local"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("the weights were trained with another attention"));
  CHECK(runs.translate("full", {"--set", "model.encoder_attention.kind=local", "--any-attention"})
            .exit_code == 0);
  CHECK(runs.translate("full", {"--any-attention"}).exit_code == 2);
  const auto fixed = runs.translate("full", {"--set", "model.d_ff=64"});
  CHECK(fixed.exit_code == 2);
  CHECK_THAT(fixed.err, test::contains("--set model.d_ff: is fixed by the trained weights"));
}

TEST_CASE("a trained model has the same BLEU with each of the exact attentions", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = test::capitals_run();
  test::ProcessInput lines;
  lines.text = test::joined(test::learned_lines(60));
  std::vector<double> scores;
  // Without a cache the modules translate, by the attention of that kind.
  for (const std::string kind : {"full", "tiled", "fused_torch"})
    for (const bool cached : {true, false}) {
      CAPTURE(kind, cached);
      std::vector<std::string> command = {"translate", "-m", run.string(), "--set"};
      for (const std::string place : {"encoder", "decoder", "cross"})
        command.push_back("model." + place + "_attention.kind=" + kind);
      if (!cached) command.emplace_back("--no-cache");
      const auto translated = dragoman(command, lines);
      CAPTURE(translated.err);
      REQUIRE(translated.exit_code == 0);
      const auto hypothesis = (folder / (kind + (cached ? "" : "-no-cache"))).string();
      std::ofstream(hypothesis) << translated.out;
      const auto result =
          dragoman({"evaluate", "--hypothesis", hypothesis, "--reference",
                    (run.parent_path() / "a.tgt").string(), "--metrics", "bleu", "--json"});
      CAPTURE(result.err);
      REQUIRE(result.exit_code == 0);
      scores.push_back(nlohmann::json::parse(result.out)["bleu"]["score"].get<double>());
    }
  CHECK(scores.front() > 50.0);
  for (const double score : scores) CHECK(score == scores.front());
}

TEST_CASE("bench attention prints a cost for each kind and length, and exponents", "[e2e]") {
  const auto result =
      dragoman({"bench", "attention", "--min-length", "1024", "--max-length", "2048", "--heads",
                "1", "--d-k", "16", "--seconds", "0.01", "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = nlohmann::json::parse(result.out);
  CHECK(record["costs"].size() == 10);
  CHECK(record["sizes"]["heads"] == 1);
  CHECK(record["sizes"]["d_k"] == 16);
  CHECK(record["sizes"]["kinds"].size() == 5);
  CHECK(record["sizes"]["kinds"][3]["radius"].is_number());
  for (const auto& cost : record["costs"]) {
    CAPTURE(cost.dump());
    CHECK(cost["forward_seconds"].get<double>() > 0.0);
    CHECK(cost["peak_mb"].get<double>() > 0.0);
    if (cost["kind"] == "tiled" || cost["kind"] == "fused_torch")
      CHECK(cost["difference"].get<double>() < 1e-5);
  }
  CHECK(record["kinds"]["full"]["memory_exponent"].get<double>() > 1.8);
  CHECK(record["kinds"]["local"]["memory_exponent"].get<double>() < 1.2);
  const auto seconds = [&](std::size_t cost) {
    return record["costs"][cost]["forward_seconds"].get<double>() +
           record["costs"][cost]["backward_seconds"].get<double>();
  };
  CHECK(record["kinds"]["full"]["doubling_ratio"].get<double>() ==
        test::Approx(seconds(1) / seconds(0)));
  const auto refused = dragoman({"bench", "attention", "--kinds", "full", "--max-length", "100000",
                                 "--min-length", "100000", "--forward-only"});
  CHECK_THAT(refused.out, test::contains("refused: beyond its memory limit"));
}

}  // namespace attention_test
