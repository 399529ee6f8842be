#include "app/text_to_translate.h"
#include "support/catch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace overwriting_test {

using test::contains;
using test::dragoman;
using test::TextToTranslate;

namespace fs = std::filesystem;

TEST_CASE("a text that is read is not overwritten", "[e2e]") {
  const TextToTranslate text;
  fs::create_hard_link(text.source, text.folder / "link");
  for (const std::string name : {"source", "link"}) {
    const auto result = text.translate((text.folder / name).string());
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains("is a file that is read, and would be overwritten"));
  }
  CHECK(test::content_of(text.source) == "a b c\nd e\n");
}

TEST_CASE("no command overwrites any of the texts that it reads", "[e2e]") {
  const TextToTranslate text;
  std::ofstream(text.target) << "A B C\nD E\n";
  const auto run = test::small_run().string();
  const auto other = (text.folder / "other").string();
  std::ofstream(other) << "a b\n";
  const auto &a = text.source, &b = text.target;
  const std::vector<std::vector<std::string>> commands = {
      {"translate", "-m", run, "-i", a, "--target-prefix", b, "-o"},
      {"evaluate", "-m", run, "--source", a, "--reference", b, "-o"},
      {"report", "-m", run, "--source", a, "--reference", b, "-o"},
      {"tokenize", "train", "--input", a, b, "-o"},
      {"tokenize", "encode", "-m", run, "-i", a, "-o"},
      {"tokenize", "decode", "-m", run, "-i", a, "-o"},
      {"shortlist", "-m", run, "--source", a, "--target", b, "-o"},
      {"shortlist", "-m", run, "--valid-source", a, "--valid-target", b, "-o"},
      {"analyze", "attention", "-m", run, "-i", a, "--target-file", b, "-o"},
      {"analyze", "pruning", "-m", run, "--source", a, "--target", b, "--test-source", other,
       "--test-target", other, "--plot"},
      {"analyze", "pruning", "-m", run, "--source", other, "--target", other, "--test-source", a,
       "--test-target", b, "--plot"},
      {"train", "--preset", "tiny", "--train-source", a, "--train-target", b, "--dump-config"},
      {"distill", "-m", run, "--preset", "tiny", "-o", text.target + "-run", "--monolingual", a,
       "--dump-config"}};
  for (const auto& command : commands)
    for (const auto& output : {a, b}) {
      if (std::ranges::find(command, output) == command.end()) continue;
      const auto result = test::dragoman(test::with(command, {output}));
      CAPTURE(command, output, result.err);
      CHECK(result.exit_code == 2);
      CHECK(result.out.empty());
      CHECK_THAT(result.err, contains(command.back() + ' ' + output + ": is a file that is read"));
      CHECK(test::content_of(a) == "a b c\nd e\n");
      CHECK(test::content_of(b) == "A B C\nD E\n");
    }
}

TEST_CASE("no translation overwrites a text that its run was trained with", "[e2e]") {
  const TextToTranslate text;
  const auto trained_with = (test::small_run().parent_path() / "a.tgt").string();
  const auto before = test::content_of(trained_with);
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"translate", "-i", text.source},
           {"evaluate", "--source", text.source, "--reference", text.source}}) {
    const auto result =
        test::dragoman(test::with(command, {"-m", test::small_run().string(), "-o", trained_with}));
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               contains("a.tgt: is a text that the model was trained or validated with"));
    CHECK(test::content_of(trained_with) == before);
  }
}

TEST_CASE("nor what it reads from standard input, a model, or a shortlist", "[e2e]") {
  const TextToTranslate text;
  const auto run = test::small_run().string();
  const auto list = (text.folder / "list").string(), model = (text.folder / "model").string();
  fs::copy(fs::directory_iterator(fs::path(run) / "checkpoints")->path(), model);
  std::ofstream(list) << "a a 0.5\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands = {
      {text.source, {"translate", "-m", run}},
      {text.source, {"tokenize", "encode", "-m", run}},
      {text.source, {"evaluate", "-m", run, "--source", "-", "--reference", list}},
      {list, {"translate", "-m", run, "--shortlist", list}},
      {list, {"shortlist", "-m", run, "--input", list}},
      {model + "/model.safetensors", {"translate", "-m", model}},
      {model + "/tokenizer.model", {"tokenize", "encode", "-m", model + "/tokenizer.model"}}};
  for (const auto& [output, command] : commands) {
    const auto before = test::content_of(output);
    const auto result = test::run(
        test::with({"bash", "-c", "exec \"$@\" < " + text.source, "bash", test::program()},
                   test::with(command, {"-o", output})));
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains(output + ": is a file") && contains("would be overwritten"));
    CHECK(test::content_of(output) == before);
  }
}

TEST_CASE("no training writes into a checkpoint that lies outside its run", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto copy = folder / "copy";
  fs::copy(fs::directory_iterator(test::small_run() / "checkpoints")->path(), copy);
  const auto source = (test::small_run().parent_path() / "a.src").string();
  const auto target = (test::small_run().parent_path() / "a.tgt").string();
  const auto files = std::distance(fs::directory_iterator(copy), fs::directory_iterator());
  const auto out = copy.string();
  const std::vector<std::vector<std::string>> commands = {
      {"train", "-o", out, "--max-steps", "6"},
      {"train", "-o", out, "--check"},
      test::tiny_training(source, target, out),
      {"train", "--start-from", test::small_run().string(), "-o", out},
      {"classify", "train", "--preset", "tiny", "--text", source, "--labels", target, "-o", out},
      {"lm", "train", "--preset", "tiny", "--text", source, "-o", out}};
  for (const auto& command : commands) {
    const auto result = dragoman(command);
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains("copy: is a single checkpoint, not a run; ") &&
                               contains("dragoman train --start-from " + out + " -o RUN_DIR'"));
  }
  CHECK(std::distance(fs::directory_iterator(copy), fs::directory_iterator()) == files);
  CHECK(dragoman({"info", "-m", out}).exit_code == 0);
}

TEST_CASE("no new run replaces files that only have the names of its own", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = (test::small_run().parent_path() / "a.src").string();
  const auto target = (test::small_run().parent_path() / "a.tgt").string();
  const auto out = (folder / "mine").string();
  const std::vector<std::vector<std::string>> commands = {
      test::tiny_training(source, target, out),
      test::with(test::tiny_training(source, target, out), {"--check", "--json"}),
      {"distill", "-m", test::small_run().string(), "--preset", "tiny", "--monolingual", source,
       "-o", out},
      {"classify", "train", "--preset", "tiny", "--text", source, "--labels", target, "-o", out},
      {"lm", "train", "--preset", "tiny", "--text", source, "-o", out}};
  const std::vector<std::vector<std::string>> files = {
      {"config.json", R"({"name": "my-app"})", "is not the configuration of a run ("},
      {"config.json", "name: my-app\n", "is not the configuration of a run ("},
      {"train.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n", "is not the log of a training"},
      {"latest", "1.2.3\n", "does not name a checkpoint"}};
  for (const auto& file : files) {
    fs::create_directory(out);
    const auto path = fs::path(out) / file[0];
    std::ofstream(path) << file[1];
    for (const auto& command : commands) {
      const auto result = dragoman(command);
      CAPTURE(command, result.err, result.out);
      CHECK(result.exit_code == 1);
      CHECK_THAT(result.err + result.out,
                 contains(file[0] + ": " + file[2]) && contains("would be replaced; move it"));
      CHECK(test::content_of(path) == file[1]);
      CHECK(std::distance(fs::directory_iterator(out), fs::directory_iterator()) == 1);
    }
    fs::remove_all(out);
  }
}

TEST_CASE("a new run takes the place of one that has no checkpoint", "[e2e]") {
  const test::CheckpointedRun run;
  fs::remove_all(run.run_dir / "checkpoints");
  CHECK(dragoman(run.training({})).exit_code == 0);
  fs::remove_all(run.run_dir / "checkpoints");
  std::ofstream(run.run_dir / "train.jsonl").close();
  CHECK(dragoman({"train", "-o", run.run_dir.string()}).exit_code == 0);
  CHECK(fs::exists(run.checkpoint(4)));
}

}  // namespace overwriting_test
