#include "dragoman/run/average.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/inference/file_weights.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <torch/types.h>

namespace average_test {

using namespace dragoman;

namespace {

/// A run whose checkpoint at step s has weights of value s.
CheckpointStore run_of(const std::filesystem::path& folder, const std::vector<int>& steps) {
  CheckpointStore store(folder, 100);
  for (const int step : steps)
    store.save(step, [step](CheckpointWriter& writer) {
      write_tensors(writer, "model.safetensors",
                    {{"w", torch::full({2}, static_cast<float>(step))},
                     {"count", torch::tensor(7, torch::kInt64)}},
                    {{"k", "v"}});
      writer.write("config.json", concat("{\"seed\": ", step, "}"));
      writer.write("tokenizer.model", "pieces");
      writer.write("optimizer.safetensors", "not read");
    });
  return store;
}

}  // namespace

TEST_CASE("The average of one file is that file", "[property]") {
  const test::TemporaryDirectory folder;
  const auto w = torch::randn({100});
  save_tensors(folder / "a", {{"w", w}});
  CHECK(average_tensors({folder / "a"}).at("w").equal(w));
}

TEST_CASE("The mean is computed in float64 and returned in the weights' type", "[unit]") {
  const test::TemporaryDirectory folder;
  // In float32, 1e8 + 1 - 1e8 loses the 1.
  const std::vector<float> values = {1e8F, 1.0F, -1e8F};
  std::vector<std::filesystem::path> files;
  for (const float value : values) {
    files.push_back(folder / std::to_string(files.size()));
    save_tensors(files.back(), {{"w", torch::full({1}, value)}});
  }
  const auto mean = average_tensors(files).at("w");
  CHECK(mean.scalar_type() == torch::kFloat32);
  CHECK(mean.item<float>() == static_cast<float>(1.0 / 3.0));
}

TEST_CASE("Files of different models have no average", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto refuse = [&](const NamedTensors& other, const std::string& message) {
    save_tensors(folder / "a", {{"w", torch::ones({2})}, {"n", torch::tensor(1, torch::kInt64)}});
    save_tensors(folder / "b", other);
    CHECK_THROWS_WITH(average_tensors({folder / "a", folder / "b"}), test::contains(message));
  };
  const auto n = torch::tensor(1, torch::kInt64);
  refuse({{"w", torch::ones({3})}, {"n", n}}, "b: tensor w: is missing or of another shape");
  refuse({{"n", n}}, "b: tensor w: is missing");
  refuse({{"w", torch::ones({2})}, {"n", n}, {"x", n}}, "b: holds 3 tensors");
  refuse({{"w", torch::ones({2})}, {"n", n + 1}}, "b: tensor n: integers differ");
  refuse({{"w", torch::ones({2}) / 0}, {"n", n}}, "b: tensor w: holds NaN or infinity");
}

TEST_CASE("Models too far apart to be averaged are warned of", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto warnings_for = [&](const torch::Tensor& a, const torch::Tensor& b) {
    save_tensors(folder / "a", {{"w", a}});
    save_tensors(folder / "b", {{"w", b}});
    const test::LogTaken log;
    average_tensors({folder / "a", folder / "b"});
    return log.warnings;
  };
  const auto w = torch::randn({1000}), other = torch::randn({1000});
  CHECK(warnings_for(w, w + 0.1 * other).empty());
  CHECK(warnings_for(torch::zeros({2}), torch::zeros({2})).empty());
  const auto warnings = warnings_for(torch::tensor({3.0, 0.0}), torch::tensor({0.0, 3.0}));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().find("only 71 % of the models' norm") != std::string::npos);
}

TEST_CASE("The newest trained checkpoints are chosen", "[unit]") {
  const test::TemporaryDirectory folder;
  run_of(folder / "run", {0, 1, 2, 3});
  CHECK(last_checkpoints(folder / "run", 2).back().step == 2);
  CHECK(last_checkpoints(folder / "run", 9).size() == 3);
  run_of(folder / "untrained", {0});
  CHECK_THROWS_AS(last_checkpoints(folder / "untrained", 2), DataError);
}

TEST_CASE("Averaging creates a run with one checkpoint that records what was averaged", "[unit]") {
  const test::TemporaryDirectory folder;
  run_of(folder / "run", {1, 2, 6});
  const auto made = average_checkpoints(last_checkpoints(folder / "run", 3), folder / "out");
  CHECK(made.path == folder / "out/checkpoints/step-00000006");
  CHECK_NOTHROW(verify_checkpoint(made.path));
  CHECK(load_tensors(made.path / "model.safetensors").at("w").equal(torch::full({2}, 3.0F)));
  CHECK(SafetensorsFile(made.path / "model.safetensors").metadata().at("k") == "v");
  CHECK(read_file(made.path / "tokenizer.model") == "pieces");
  CHECK(read_file(made.path / "config.json") == "{\"seed\": 6}");
  CHECK(read_file(folder / "out/config.json") == "{\"seed\": 6}");
  CHECK_FALSE(std::filesystem::exists(made.path / "optimizer.safetensors"));
  const auto state = test::read_json(made.path / "state.json");
  CHECK(state.at("averaged").size() == 3);
  CHECK(state.at("averaged").at(0) == (folder / "run/checkpoints/step-00000001").string());

  CHECK_THROWS_WITH(average_checkpoints(last_checkpoints(folder / "run", 3), folder / "out"),
                    test::contains("out: exists and is not an empty folder"));
}

TEST_CASE("Checkpoints whose weights are stored in different types are not averaged", "[unit]") {
  const test::TemporaryDirectory folder;
  CheckpointStore store(folder / "run");
  for (const int step : {1, 2})
    store.save(step, [step](CheckpointWriter& writer) {
      const auto type = step == 1 ? torch::kFloat32 : torch::kBFloat16;
      Metadata metadata;
      if (step == 2) metadata[weight_type_key] = "bf16";
      write_tensors(writer, "model.safetensors", {{"w", torch::ones({2}, type)}}, metadata);
      writer.write("config.json", "{}");
      writer.write("tokenizer.model", "pieces");
    });
  CHECK_THROWS_WITH(
      average_checkpoints(last_checkpoints(folder / "run", 2), folder / "out"),
      test::contains("has float32 weights, but ") && test::contains(" bf16; average"));
}

TEST_CASE("int8 weights have no average", "[unit]") {
  const test::TemporaryDirectory folder;
  CheckpointStore store(folder / "run");
  for (const int step : {1, 2})
    store.save(step, [](CheckpointWriter& writer) {
      write_tensors(writer, "model.safetensors", {{"w", torch::ones({2}, torch::kInt8)}},
                    {{weight_type_key, "int8"}});
      writer.write("config.json", "{}");
      writer.write("tokenizer.model", "pieces");
    });
  CHECK_THROWS_WITH(average_checkpoints(last_checkpoints(folder / "run", 2), folder / "out"),
                    test::contains("has int8 weights") && test::contains("then quantise"));
}

TEST_CASE("A damaged checkpoint is not averaged", "[unit]") {
  const test::TemporaryDirectory folder;
  run_of(folder / "run", {1, 2});
  const auto file = folder / "run/checkpoints/step-00000001/model.safetensors";
  auto bytes = read_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::filesystem::remove(file);
  write_new_file(file, bytes);
  CHECK_THROWS_WITH(average_checkpoints(last_checkpoints(folder / "run", 2), folder / "out"),
                    test::contains("step-00000001/model.safetensors: its SHA-256"));
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace average_test
