#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace layer_kinds_test {

namespace {

using test::dragoman;

/// The texts of n-best lines, without their scores.
std::string texts_of(const std::string& lines) {
  std::istringstream stream(lines);
  std::string texts;
  for (std::string line; std::getline(stream, line);)
    texts += line.substr(0, line.rfind(" ||| ")) + '\n';
  return texts;
}

struct LayerRun {
  test::TemporaryDirectory folder;
  std::string path = (folder / "run").string();

  explicit LayerRun(const std::vector<std::string>& settings) {
    test::write_letters(folder / "a.src", folder / "a.tgt");
    const auto trained = dragoman(test::with(
        test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(), path),
        settings));
    CAPTURE(trained.err);
    REQUIRE(trained.exit_code == 0);
  }

  test::ProcessResult translate(const std::vector<std::string>& more = {}) const {
    test::ProcessInput lines;
    lines.text = "a b c\nd e f g h\nq\n";
    return dragoman(test::with({"translate", "-m", path, "--max-length", "12", "--scores"}, more),
                    lines);
  }
};

}  // namespace

TEST_CASE("every kind of layer is trained, saved, loaded, averaged and decoded with, cached or not",
          "[e2e][slow]") {
  using Kinds = std::pair<std::string, std::string>;  // of encoder and decoder
  for (const auto& [encoder, decoder] :
       {Kinds{"lstm", "lstm"}, Kinds{"conv", "attention"}, Kinds{"conv_attention", "attention"},
        Kinds{"attention", "ssru"}, Kinds{"attention", "average_attention"}}) {
    CAPTURE(encoder, decoder);
    const LayerRun run({"model.encoder_layer=" + encoder, "model.decoder_layer=" + decoder});
    const auto cached = run.translate();
    CAPTURE(cached.err);
    REQUIRE(cached.exit_code == 0);
    CHECK(std::count(cached.out.begin(), cached.out.end(), '\n') == 3);
    CHECK(texts_of(run.translate({"--no-cache"}).out) == texts_of(cached.out));
    const auto average = (run.folder / "average").string();
    CHECK(dragoman({"average", "-m", run.path, "--last", "2", "-o", average}).exit_code == 0);
    const auto info = dragoman({"info", "-m", average});
    CHECK(info.exit_code == 0);
    const auto part = encoder == "attention" ? decoder
                      : encoder == "lstm"    ? encoder
                                             : "convolution";
    CHECK_THAT(info.out, test::contains("    " + part + " "));
  }
}

TEST_CASE("a training of recurrent layers resumes bit for bit", "[e2e]") {
  const std::vector<std::string> kinds = {"model.encoder_layer=lstm", "model.decoder_layer=lstm",
                                          "train.workers=1", "train.checkpoint_every=2"};
  const LayerRun whole(test::with(kinds, {"train.max_steps=6"}));
  const LayerRun stopped(kinds);
  const auto on = dragoman({"train", "-o", stopped.path, "--set", "train.max_steps=6"});
  CAPTURE(on.err);
  REQUIRE(on.exit_code == 0);
  const std::string weights = "/checkpoints/step-00000006/model.safetensors";
  CHECK_FALSE(test::content_of(whole.path + weights).empty());
  CHECK(test::content_of(whole.path + weights) == test::content_of(stopped.path + weights));
}

TEST_CASE("of a model without self-attention on one side the rest is shown", "[e2e]") {
  const LayerRun run({"model.encoder_layer=lstm"});
  const auto shown = [&](const std::vector<std::string>& more) {
    return dragoman(
        test::with({"analyze", "attention", "-m", run.path, "a b c", "--target", "A B"}, more));
  };
  const auto json = shown({"-f", "json"});
  CAPTURE(json.err);
  REQUIRE(json.exit_code == 0);
  CHECK_THAT(json.err, test::contains("this model has the attention decoder, cross"));
  const auto maps = nlohmann::json::parse(json.out).at("pictures")[0].at("maps");
  REQUIRE(maps.size() == 2);
  CHECK(maps[0].at("kind") == "decoder");
  CHECK(maps[1].at("kind") == "cross");
  for (const char* format : {"text", "csv", "html"}) CHECK(shown({"-f", format}).exit_code == 0);
  const auto blank =
      dragoman({"analyze", "attention", "-m", run.path, "a b c", "--target", "", "-f", "html"});
  CHECK(blank.exit_code == 1);
  CHECK_THAT(blank.err, test::contains("every target is blank"));
  const auto corpus =
      test::with({"-m", run.path}, {"--source", (run.folder / "a.src").string(), "--target",
                                    (run.folder / "a.tgt").string(), "--limit", "9"});
  for (const auto& what : std::vector<std::vector<std::string>>{
           {"heads"}, {"heads", "--importance"}, {"alignment"}, {"explanation"}}) {
    const auto result = dragoman(test::with(test::with({"analyze"}, what), corpus));
    CAPTURE(what.front(), result.err);
    CHECK(result.exit_code == 0);
  }
  CHECK(dragoman({"analyze", "sentences", "-m", run.path}).exit_code == 0);
  CHECK(dragoman({"explain", "-m", run.path, "a b c", "--kind", "cross"}).exit_code == 0);
}

TEST_CASE("what a model without self-attention cannot do is refused by name", "[e2e]") {
  const LayerRun run({"model.encoder_layer=lstm"});
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"convert", "--to", "ctranslate2", run.path, "-o", (run.folder / "ct2").string()},
           {"analyze", "attention", "-m", run.path, "a b c", "--kind", "encoder"},
           {"explain", "-m", run.path, "a b c"}}) {
    const auto refused = dragoman(arguments);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("model.encoder_layer: "));
  }
}

}  // namespace layer_kinds_test
