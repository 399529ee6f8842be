#include "app/small_run.h"
#include "support/catch.h"
#include "support/paper_numbers.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace info_test {

namespace {

test::ProcessResult info(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {test::program(), "info"});
  return test::run(arguments);
}

/// The line that begins so, with runs of spaces as one.
std::string line_of(const std::string& text, const std::string& begin) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(begin, 0) != 0) continue;
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
    return joined;
  }
  return "";
}

}  // namespace

TEST_CASE("info prints the base model's parameters by part and for each sharing", "[e2e]") {
  const auto result = info({"--preset", "base", "--set", "tokenizer.vocab_size=37000"});
  REQUIRE(result.exit_code == 0);
  CHECK(line_of(result.out, "encoder (6") == "encoder (6 layers) 18,886,656 27,648 18,914,304");
  CHECK(line_of(result.out, "decoder (6") == "decoder (6 layers) 25,184,256 39,936 25,224,192");
  CHECK(line_of(result.out, "  one layer") == "one layer 3,147,776 4,608 3,152,384");
  CHECK(test::contains("4,197,376").match(result.out));
  const auto total = [&](const std::string& sharing) {
    return line_of(result.out, "total, share_embeddings " + sharing);
  };
  CHECK(total("all") == "total, share_embeddings all 63,014,912 67,584 63,082,496");
  CHECK(total("target_output") ==
        "total, share_embeddings target_output 81,958,912 67,584 82,026,496");
  CHECK(total("none") == "total, share_embeddings none 100,902,912 67,584 100,970,496");
}

TEST_CASE("info describes a configuration file with its changes", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "c.json") << R"({"model": {"d_model": 64, "num_heads": 4}})";
  const auto result = info({"-c", (folder / "c.json").string(), "--set", "model.d_ff=96",
                            "model.encoder_attention.kind=local"});
  REQUIRE(result.exit_code == 0);
  CHECK(line_of(result.out, "model.encoder_attention") ==
        R"(model.encoder_attention {"kind":"local"})");
  CHECK_THAT(result.out, !test::contains("model.decoder_attention"));
  CHECK(line_of(result.out, "model.d_model") == "model.d_model 64");
  CHECK(line_of(result.out, "model.d_ff") == "model.d_ff 96");
  CHECK(line_of(result.out, "d_k, d_v") == "d_k, d_v of a head 16, 16");
}

TEST_CASE("info prints all defaults as JSON, and they are the paper's numbers", "[e2e]") {
  const auto result = info({"--defaults"});
  REQUIRE(result.exit_code == 0);
  const auto defaults = nlohmann::json::parse(result.out);
  for (const auto& [key, value] : test::paper_numbers()) {
    CAPTURE(key);
    REQUIRE(defaults.contains(nlohmann::json::json_pointer(key)));
    CHECK(defaults[nlohmann::json::json_pointer(key)] == value);
  }
}

TEST_CASE("info describes the base preset with the sizes of the paper's base model", "[e2e]") {
  const auto result = info({"--preset", "base"});
  REQUIRE(result.exit_code == 0);
  for (const std::string fact :
       {"model.d_ff 2048", "model.d_model 512", "model.decoder_layers 6", "model.dropout 0.1",
        "model.encoder_layers 6", "model.norm post", "model.num_heads 8",
        "model.share_embeddings all", "d_k, d_v of a head 64, 64"}) {
    CAPTURE(fact);
    CHECK(line_of(result.out, fact.substr(0, fact.find(' ') + 1)) == fact);
  }
}

TEST_CASE("info prints the facts of a run as JSON", "[e2e]") {
  const auto run = test::small_run().string();
  const auto result = info({"-m", run, "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto facts = nlohmann::json::parse(result.out);
  CHECK(facts["kind"] == "translation");
  CHECK(facts["step"] == facts["state"]["step"]);
  const auto words = line_of(info({"-m", run}).out, "total ");
  std::string total = words.substr(words.rfind(' ') + 1);
  std::erase(total, ',');
  CHECK(facts["parameters"].get<std::int64_t>() == std::stoll(total));
  const auto config = nlohmann::json::parse(test::content_of(run + "/config.json"));
  CHECK(facts["model"] == config["model"]);
  CHECK(facts["target_languages"].empty());
}

TEST_CASE("info counts the validation that came after the checkpoint was written", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = test::train_small_run(folder).string();
  const auto step = nlohmann::json::parse(info({"-m", run, "--json"}).out)["step"].dump();
  const std::string digits = std::string(8 - step.size(), '0') + step;
  std::ofstream(run + "/checkpoints/step-" + digits + "/validation.json")
      << R"({"step": )" << step << R"(, "loss": 0.25, "bleu": 12.5})";
  const auto result = info({"-m", run});
  CHECK(line_of(result.out, "best bleu") == "best bleu 12.5 at step " + step);
  CHECK(line_of(result.out, "best loss") == "best loss 0.25 at step " + step);
  const auto state = nlohmann::json::parse(info({"-m", run, "--json"}).out)["state"];
  CHECK(state["best"]["bleu"]["value"] == 12.5);
  CHECK(state["best"]["bleu"]["step"].dump() == step);
  CHECK(state["seconds"].get<double>() > 0.0);
}

TEST_CASE("info wants exactly one thing to describe", "[e2e]") {
  CHECK(info({}).exit_code == 2);
  CHECK(info({"--preset", "tiny", "--defaults"}).exit_code == 2);
  CHECK(info({"--preset", "tiny", "--json"}).exit_code == 2);
  const auto missing = info({"-m", "no-such-run"});
  CHECK(missing.exit_code == 1);
  CHECK(test::contains("no-such-run").match(missing.err));
}

}  // namespace info_test
