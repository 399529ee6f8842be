#include "app/small_run.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/program.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace evaluate_run_test {

using nlohmann::json;

namespace {

test::ProcessResult evaluate(const std::vector<std::string>& arguments) {
  return test::dragoman(test::with({"evaluate"}, arguments));
}

}  // namespace

TEST_CASE("evaluate gives a run the likelihood that its training's validation measured", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = (folder / "a.src").string(), target = (folder / "a.tgt").string();
  const auto run_dir =
      test::train_small_run(folder, {"train.precision=float32", "train.validate_every=4",
                                     "train.validate_translations=false",
                                     "data.valid_source=" + source, "data.valid_target=" + target})
          .string();
  json validation;
  std::ifstream records(folder / "run" / "train.jsonl");
  for (std::string line; std::getline(records, line);)
    if (const auto record = json::parse(line); record.at("event") == "validation")
      validation = record;
  REQUIRE(validation.is_object());

  const std::vector<std::string> of_run{"-m",          run_dir, "--source",  source,
                                        "--reference", target,  "--metrics", "chrf"};
  const auto result = evaluate(test::with(of_run, {"--json"}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto likelihood = json::parse(result.out).at("likelihood");
  for (const char* key : {"nll", "perplexity", "accuracy"}) {
    CAPTURE(key);
    CHECK(likelihood.at(key).get<double>() ==
          test::Approx(validation.at(key).get<double>()).epsilon(1e-4));
  }
  const auto twice =
      json::parse(evaluate(test::with(of_run, {"--json", "--reference", target})).out);
  CHECK(twice.at("likelihood").at("pieces").get<int>() == 2 * likelihood.at("pieces").get<int>());
  CHECK(twice.at("likelihood").at("nll").get<double>() ==
        test::Approx(likelihood.at("nll").get<double>()));

  const auto text = evaluate(of_run).out;
  CHECK_THAT(text, test::contains("\nnll ") && test::contains(" nats per piece, perplexity ") &&
                       test::contains(", token accuracy ") &&
                       test::contains(" pieces of the references\n"));
}

TEST_CASE("evaluate checks its texts before it translates, and keeps the translations", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto write = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return (folder / name).string();
  };
  const auto model = test::capitals_run().string(), output = (folder / "out").string();
  const auto text = test::joined(test::learned_lines(3));
  const auto source = write("source", text);
  const std::vector<std::string> of_run{"-m",   model,       "--source", source,       "--output",
                                        output, "--workers", "1",        "--reference"};
  const auto refused = evaluate(test::with(of_run, {write("short", "a b c\n")}));
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("short"));
  CHECK_FALSE(std::filesystem::exists(output));

  const auto itself = evaluate({"-m", model, "--source", source, "--output", source, "--reference",
                                write("reference", text)});
  CHECK(itself.exit_code == 2);
  CHECK_THAT(itself.err, test::contains("would be overwritten"));

  const auto several =
      evaluate(test::with(of_run, {(folder / "reference").string(), "--set", "search.n_best=2"}));
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, test::contains("--set search.n_best: has no effect here"));

  const auto scored = evaluate(test::with(of_run, {(folder / "reference").string()}));
  CAPTURE(scored.err);
  REQUIRE(scored.exit_code == 0);
  const auto translated = test::dragoman({"translate", "-m", model, "-i", source}).out;
  CHECK(test::all_differ(test::split_lines(translated)));
  CHECK(test::content_of(output) == translated);
}

}  // namespace evaluate_run_test
