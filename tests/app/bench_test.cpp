#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace bench_test {

namespace {

/// Runs a bench with --json and --plot; gives its record.
nlohmann::json record_of(std::vector<std::string> arguments) {
  const test::TemporaryDirectory folder;
  const auto plot = (folder / "plot.svg").string();
  arguments.insert(arguments.begin(), "bench");
  const auto result = test::dragoman(test::with(arguments, {"--json", "--plot", plot}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(test::content_of(plot).starts_with("<svg "));
  return nlohmann::json::parse(result.out);
}

nlohmann::json measure_kernels(const test::ProcessInput& input) {
  const auto result = test::dragoman({"bench", "kernels", "--seconds", "0.0001", "--json"}, input);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out);
}

/// Of `bench kernels`, measured once.
const nlohmann::json& record_of_kernels() {
  static const auto record = measure_kernels({});
  return record;
}

}  // namespace

TEST_CASE("bench complexity gives formulas, costs and growth", "[e2e]") {
  const auto record = record_of({"complexity", "--d-model", "32", "--min-length", "1024",
                                 "--max-length", "2048", "--seconds", "0.001"});
  CHECK(record["costs"].size() == 16);
  CHECK(record["core_equals_projections"]["counted"] == 64);
  CHECK(record["parts"]["attention"]["time_within_tolerance"].is_boolean());
  CHECK(record["measured_on"]["cores"] > 0);
  CHECK_FALSE(record["measured_on"]["version"].get<std::string>().empty());
  CHECK(record["parts"]["attention"]["counted_exponent"].get<double>() > 1.99);
  CHECK(record["parts"]["attention"]["memory_exponent"].get<double>() > 1.8);
  CHECK(record["parts"]["local"]["memory_exponent"].get<double>() < 1.2);
  CHECK(record["parts"]["linear"]["memory_exponent"].get<double>() < 1.2);
}

TEST_CASE("bench path measures what the formulas say", "[e2e]") {
  const auto record = record_of({"path", "-n", "17", "--radius", "4", "--kernel", "3"});
  CHECK(record["parts"]["local"]["layers_measured"] == 4);
  CHECK(record["parts"]["convolution"]["layers_measured"] == 8);
  CHECK(record["parts"]["attention"]["layers_measured"] == 1);
}

TEST_CASE("bench parallel gives equal results both ways", "[e2e]") {
  const auto record =
      record_of({"parallel", "--lengths", "4,8", "--sentences", "2", "--seconds", "0.001"});
  REQUIRE(record["costs"].size() == 2);
  for (const auto& cost : record["costs"]) CHECK(cost["difference"].get<double>() < 1e-5);
}

TEST_CASE("bench rnn measures shorter and longer sequences than features", "[e2e]") {
  const auto record =
      record_of({"rnn", "--d-model", "16", "--lengths", "8,32", "--seconds", "0.001"});
  REQUIRE(record["costs"].size() == 2);
  CHECK(record["costs"][1]["lstm"]["multiply_adds"] == 8.0 * 32 * 16 * 16);
}

TEST_CASE("bench kernels measures products by every instruction set beside LibTorch", "[e2e]") {
  const auto& record = record_of_kernels();
  std::set<std::string> types;
  bool by_torch = false;
  for (const auto& product : record["products"]) {
    CHECK(product["gmacs"].get<double>() > 0.0);
    CHECK(product["peak_share"].get<double>() > 0.0);
    types.insert(product["type"].get<std::string>());
    by_torch = by_torch || product["instructions"] == "LibTorch";
  }
  CHECK(types == std::set<std::string>{"bf16", "float32", "int8"});
  CHECK(by_torch);
}

TEST_CASE("bench kernels measures every loop by every instruction set beside a copy and LibTorch",
          "[e2e]") {
  const auto& record = record_of_kernels();
  std::map<std::string, std::set<std::string>> kernels_of_set;
  std::set<std::string> names, beside_torch;
  for (const auto& loop : record["loops"]) {
    CAPTURE(loop.dump());
    CHECK(loop["seconds"].get<double>() > 0.0);
    CHECK(loop["gigabytes_per_second"].get<double>() > 0.0);
    CHECK(loop["copy_share"].get<double>() > 0.0);
    const auto kernel = loop["kernel"].get<std::string>();
    CHECK(kernels_of_set[loop["instructions"]].insert(kernel).second);
    names.insert(kernel.substr(0, kernel.find(',')));
    if (loop["torch_seconds"].is_null()) continue;
    CHECK(loop["torch_seconds"].get<double>() > 0.0);
    beside_torch.insert(kernel.substr(0, kernel.find(',')));
  }
  CHECK(kernels_of_set.contains("baseline"));
  for (const auto& [set, kernels] : kernels_of_set) CHECK(kernels == kernels_of_set.at("baseline"));
  const std::set<std::string> with_torch = {"add_bf16",
                                            "add_bf16_rows",
                                            "add_dropout",
                                            "beam_attention",
                                            "dropout",
                                            "fused_attention_backward",
                                            "fused_attention_forward",
                                            "gelu",
                                            "gelu_tanh",
                                            "gradient norm",
                                            "layer_norm_rows",
                                            "log_sum_exp",
                                            "pack_bf16_row",
                                            "reduce_columns",
                                            "scale_and_add",
                                            "smoothed_loss_rows",
                                            "swish",
                                            "top_candidates"};
  const std::set<std::string> without_torch = {"cached_attention", "ensemble of 2",
                                               "gated_sum",        "pack_int8_row",
                                               "paired_loss_rows", "ssru_state"};
  CHECK(beside_torch == with_torch);
  for (const auto& name : without_torch) CHECK(names.contains(name));
  CHECK(names.size() == with_torch.size() + without_torch.size());
}

TEST_CASE("bench kernels measures no instruction set above DRAGOMAN_CPU", "[e2e]") {
  const auto record = measure_kernels({.variables = {{"DRAGOMAN_CPU", "plain"}}});
  REQUIRE_FALSE(record["loops"].empty());
  for (const auto& loop : record["loops"]) CHECK(loop["instructions"] == "baseline");
}

TEST_CASE("bench recompute gives the same gradients for less memory", "[e2e]") {
  const auto record =
      record_of({"recompute", "--layers", "6", "--kinds", "none,all,sqrt,every", "--sentences", "4",
                 "-n", "16", "--seconds", "0.001", "--set", "train.recompute_every=2"});
  REQUIRE(record["costs"].size() == 4);
  for (const auto& cost : record["costs"]) {
    CHECK(cost["same_gradient"] == true);
    if (cost["recompute"] != "none") CHECK(cost["peak_mb"] < record["costs"][0]["peak_mb"]);
  }
  CHECK(record["costs"][3]["segment"] == 2);
  const std::vector<std::string> every = {"bench",   "recompute", "--layers",    "2",
                                          "--kinds", "every",     "--sentences", "1",
                                          "-n",      "4",         "--seconds",   "0.001"};
  CHECK_THAT(test::dragoman(test::with(every, {"--set", "train.recompute_every=3"})).err,
             !test::contains("has no effect"));
  for (const auto* fixed : {"train.recompute=all", "model.encoder_layers=5",
                            R"(model={"encoder_layers":5,"d_ff":64})"}) {
    const auto refused = test::dragoman(test::with(every, {"--set", fixed}));
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("varies; give --"));
  }
}

TEST_CASE("bench train measures a model with the vocabulary that is named", "[e2e]") {
  const auto parameters = [](const std::vector<std::string>& more) {
    const auto result =
        test::dragoman(test::with({"bench", "train", "--seconds", "0.001", "--json"}, more));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out)["parameters"];
  };
  const std::vector<std::string> small = {"--set", "model.d_model=16", "model.d_ff=16",
                                          "model.num_heads=2"};
  CHECK(parameters(test::with(small, {"tokenizer.vocab_size=300"})).get<std::int64_t>() +
            700 * 16 ==
        parameters(test::with(small, {"tokenizer.vocab_size=1000"})).get<std::int64_t>());
}

TEST_CASE("bench train refuses settings that change no update which it measures", "[e2e]") {
  for (const char* setting : {"data.subword_sampling=0.1", "data.max_length=20",
                              "tokenizer.normalization=identity", "search.beam_size=2"}) {
    const auto refused = test::dragoman({"bench", "train", "--seconds", "0.001", "--set", setting});
    CAPTURE(setting);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("changes no update; give model.KEY=VALUE"));
  }
}

TEST_CASE("bench attention refuses a kind that cannot be causal before it measures", "[e2e]") {
  const auto result = test::dragoman({"bench", "attention", "--causal", "--kinds", "low_rank"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, test::contains("--causal: low_rank attention is for encoders only"));
}

TEST_CASE("heads that do not divide the features are refused", "[e2e]") {
  const auto result = test::dragoman({"bench", "rnn", "--d-model", "10", "--heads", "4"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, test::contains("--d-model 10 cannot be split into --heads 4"));
}

TEST_CASE("no number and no end of measuring is refused", "[e2e]") {
  for (const char* bench :
       {"attention", "complexity", "kernels", "parallel", "recompute", "rnn", "train", "translate"})
    for (const char* seconds : {"nan", "inf", "0", "-1"}) {
      const auto result = test::dragoman({"bench", bench, "--seconds", seconds});
      CAPTURE(bench, seconds, result.err);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, test::contains("--seconds: "));
    }
}

TEST_CASE("a shortest length above the longest is refused", "[e2e]") {
  for (const char* what : {"attention", "complexity"}) {
    const auto result = test::dragoman({"bench", what, "--min-length", "64", "--max-length", "32"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("--min-length: 64 is more than --max-length 32; choose"));
  }
  CHECK(test::dragoman({"bench", "attention", "--max-length", "4700000000000000000"}).exit_code ==
        2);
}

TEST_CASE("a benchmark longer than the model's positions is refused before it begins", "[e2e]") {
  for (const auto& [bench, option] :
       {std::pair{"parallel", "--lengths"}, {"recompute", "--length"}}) {
    const auto result = test::dragoman({"bench", bench, option, "400", "--set",
                                        "model.position=learned", "model.max_positions=300"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               test::contains(option + std::string(": 400 is more than the 300 positions")));
  }
}

TEST_CASE("a plot that cannot be written is refused before anything is measured", "[e2e]") {
  for (const char* bench : {"attention", "complexity", "parallel", "path", "recompute", "rnn"}) {
    const auto result = test::dragoman({"bench", bench, "--plot", "/missing-folder/plot.svg"});
    CAPTURE(bench, result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, test::contains("/missing-folder/plot.svg"));
  }
}

TEST_CASE("bench translate refuses settings that change nothing, and names the search", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "text") << "a b c\nd e\n";
  const auto bench = [](const std::vector<std::string>& model, const std::string& setting) {
    return test::dragoman(test::with({"bench", "translate", "--seconds", "0.001"},
                                     test::with(model, {"--set", setting})));
  };
  const std::vector<std::string> preset = {"--preset", "tiny"};
  const std::vector<std::string> run = {"-m", test::small_run().string(), "--source",
                                        (folder / "text").string()};
  const auto is_refused = [&](const std::vector<std::string>& model, const std::string& setting,
                              const std::string& fact) {
    const auto result = bench(model, setting);
    CAPTURE(setting, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains(fact));
  };
  is_refused(preset, "train.max_steps=3",
             "--set train.max_steps: changes no translation by random weights");
  is_refused(preset, "tokenizer.type=bpe", "changes no translation by random weights; give");
  is_refused(preset, "search.greedy=true", "search.greedy: random weights are measured with beam");
  is_refused(preset, "search.sample=true", "search.sample: random weights are measured with beam");
  is_refused(preset, "search.max_length=10", "search.max_length: random weights never end");
  is_refused(run, "train.max_steps=3", "train.max_steps: changes no translation; give search.KEY");
  is_refused(run, "model.d_model=32", "model.d_model: changes no translation; give search.KEY");
  CHECK_THAT(bench(run, "search.beam_size=3").out, test::contains("(beam 3)"));
  CHECK_THAT(bench(run, "search.greedy=true").out, test::contains("(greedy)"));
  CHECK_THAT(bench(run, "search.sample=true").out, test::contains("(sampling)"));
}

TEST_CASE("a benchmark refuses settings of what it does not measure", "[e2e]") {
  const auto refuses = [](const std::string& benchmark, const std::string& setting) {
    const auto result = test::dragoman({"bench", benchmark, "--set", setting});
    CAPTURE(benchmark, setting, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("has no effect here; give model.KEY=VALUE") ||
                               test::contains("changes no update; give model.KEY=VALUE"));
  };
  refuses("parallel", "train.precision=bf16");
  refuses("recompute", "train.precision=bf16");
  refuses("recompute", "tokenizer.vocab_size=500");
  refuses("train", "search.beam_size=8");
}

TEST_CASE("a file's name behind --set is not taken for a setting", "[e2e]") {
  for (const char* benchmark : {"parallel", "recompute"}) {
    const auto refused = test::dragoman({"bench", benchmark, "--set", test::program()});
    CAPTURE(benchmark, refused.err);
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("is the name of a file, not KEY=VALUE"));
  }
}

TEST_CASE("what no machine has memory for is refused before it is begun", "[e2e]") {
  const std::vector<std::vector<std::string>> commands = {
      {"analyze", "positions", "--d-model", "65536", "--positions", "1000000"},
      {"bench", "complexity", "--max-length", "1048576"},
      {"bench", "path", "--d-model", "65536", "--kernel", "1024"},
      {"bench", "rnn", "--lengths", "65536", "--heads", "1024", "--d-model", "1024"},
      {"bench", "attention", "--max-length", "1000000000000000"},
      {"bench", "parallel", "--lengths", "16384", "--sentences", "4096"},
      {"bench", "recompute", "--sentences", "4096", "--length", "16384"},
      {"experiment", "task", "copy", "-o", "x", "--pairs", "100000000", "--length", "100000"}};
  for (const auto& command : commands) {
    const auto result = test::dragoman(command);
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("GiB of memory") && test::contains("; choose "));
  }
}

}  // namespace bench_test
