#include "dragoman/run/loaded_run.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log_sink.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/parameters.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <torch/types.h>

#include <algorithm>

namespace run_files_test {

using namespace dragoman;

namespace {

RunOptions small_options() {
  RunOptions options;
  options.model.d_model = 8;
  options.model.d_ff = 16;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  return options;
}

Vocabulary joint_vocabulary() {
  const auto tokenizer = test::small_tokenizer();
  return {.source = tokenizer, .target = tokenizer, .joint = true};
}

Transformer new_model(const RunOptions& options, const Vocabulary& vocabulary) {
  Transformer model(options.model, VocabularySizes{.source = vocabulary.source.vocab_size(),
                                                   .target = vocabulary.target.vocab_size()});
  model->eval();
  return model;
}

Checkpoint save(const std::filesystem::path& run_dir, std::int64_t step, Transformer model,
                const Vocabulary& vocabulary) {
  return CheckpointStore(run_dir).save(step, [&](CheckpointWriter& writer) {
    write_model(writer, small_options(), *model, vocabulary);
  });
}

torch::Tensor logits(Transformer model) {
  const torch::NoGradGuard no_grad;
  const auto source = torch::tensor({5, 7, 9, 3}, torch::kInt64).unsqueeze(0);
  return model->forward(source, torch::ones({1, 4}, torch::kBool), source);
}

/// Puts another checkpoint in place of `checkpoint`, with files as `change` makes them and a
/// manifest that fits.
template <typename Change>
void rewrite(const Checkpoint& checkpoint, const Change& change) {
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : read_manifest(checkpoint.path).files)
    files[name] = read_file(checkpoint.path / name);
  change(files);
  CheckpointStore(checkpoint.path.parent_path().parent_path())
      .save(checkpoint.step, [&](CheckpointWriter& writer) {
        for (const auto& [name, content] : files) writer.write(name, content);
      });
}

}  // namespace

TEST_CASE("A loaded run gives the saved model's logits bit for bit", "[property]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto model = new_model(small_options(), vocabulary);
  const auto saved = save(run.path(), 12, model, vocabulary);
  for (const auto& place : {run.path(), saved.path}) {
    const auto loaded = load_run(place);
    CHECK(loaded.step == 12);
    CHECK(loaded.checkpoint == saved.path);
    CHECK(loaded.vocabulary.joint);
    CHECK_FALSE(loaded.model->is_training());
    CHECK(logits(loaded.model).equal(logits(model)));
  }
}

TEST_CASE("Separate tokenizers are kept apart", "[unit]") {
  const test::TemporaryDirectory run;
  const auto bpe = test::small_tokenizer();
  const auto unigram = test::small_tokenizer(TokenizerType::unigram);
  const Vocabulary vocabulary{.source = bpe, .target = unigram, .joint = false};
  save(run.path(), 1, new_model(small_options(), vocabulary), vocabulary);
  const auto loaded = load_run(run.path());
  CHECK_FALSE(loaded.vocabulary.joint);
  CHECK(loaded.vocabulary.source.bytes() == bpe.bytes());
  CHECK(loaded.vocabulary.target.bytes() == unigram.bytes());
}

TEST_CASE("A run is loaded from its best checkpoint, else from the newest good one", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto model = new_model(small_options(), vocabulary);
  for (const int step : {1, 2, 3}) save(run.path(), step, model, vocabulary);
  write_new_file(run / "config.json", "{\"train\": {\"early_stopping_metric\": \"bleu\"}}");
  CHECK(load_run(run.path()).step == 3);
  CheckpointStore(run.path()).mark_best("bleu", 2);
  CheckpointStore(run.path()).mark_best("loss", 1);
  CHECK(load_run(run.path()).step == 2);
  CHECK(load_run(run.path(), "best-loss").step == 1);
  CHECK(load_run(run.path(), "latest").step == 3);
  CHECK(load_run(run.path(), "step-00000001").step == 1);
  CHECK_THROWS_WITH(load_run(run.path(), "step-00000009"),
                    test::contains("no checkpoint 'step-00000009' here; there are step-00000003"));
  CHECK_THROWS_AS(load_run(run / "elsewhere"), DataError);
  // A circle of links names no checkpoint.
  std::filesystem::remove(run / "best-bleu");
  std::filesystem::create_symlink("best-bleu", run / "best-bleu");
  CHECK(load_run(run.path()).step == 3);
}

TEST_CASE("A checkpoint that a training removes meanwhile is chosen again", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto model = new_model(small_options(), vocabulary);
  std::vector<Checkpoint> saved;
  for (const int step : {1, 2, 3}) saved.push_back(save(run.path(), step, model, vocabulary));
  std::filesystem::remove(saved[2].path / "manifest.json");
  // What is logged about the choice comes before the checkpoint is read.
  set_log_sink([&saved](LogLevel, std::string_view text) {
    if (text.find("using step-00000002 instead of") != text.npos)
      std::filesystem::remove_all(saved[1].path);
  });
  std::filesystem::path opened;
  CHECK_NOTHROW(opened = open_run(run.path(), ModelKind::translation).checkpoint);
  set_log_sink({});
  CHECK_FALSE(std::filesystem::exists(saved[1].path));
  CHECK(opened == saved[0].path);
}

TEST_CASE("A checkpoint whose manifest leaves the weights out is refused", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto saved = save(run.path(), 1, new_model(small_options(), vocabulary), vocabulary);
  auto manifest = read_manifest(saved.path);
  manifest.files.erase("model.safetensors");
  std::filesystem::remove(saved.path / "manifest.json");
  write_new_file(saved.path / "manifest.json", manifest.to_text());
  CHECK_THROWS_WITH(load_run(saved.path),
                    test::contains("manifest.json: does not name model.safetensors"));
}

TEST_CASE("A damaged checkpoint is refused by name, and a whole one offered", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto model = new_model(small_options(), vocabulary);
  const auto saved = save(run.path(), 1, model, vocabulary);
  const auto file = saved.path / "model.safetensors";
  const auto bytes = read_file(file);
  const auto cut = bytes.substr(0, bytes.size() - 4);
  std::filesystem::remove(file);
  write_new_file(file, cut);
  CHECK_THROWS_WITH(
      load_run(run.path(), "step-00000001"),
      test::contains("step-00000001/model.safetensors: has ") && !test::contains("intact"));
  save(run.path(), 2, model, vocabulary);
  CHECK_THROWS_WITH(load_run(run.path(), "step-00000001"),
                    test::contains("step-00000001/model.safetensors: has ") &&
                        test::contains("; step-00000002 is intact: choose that checkpoint"));
  std::filesystem::remove(file);
  CHECK_THROWS_WITH(load_run(run.path(), "step-00000001"),
                    test::contains("; step-00000002 is intact: choose that checkpoint"));
}

TEST_CASE("A tokenizer of equal size with other ids is refused", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto saved = save(run.path(), 1, new_model(small_options(), vocabulary), vocabulary);
  const auto other = test::small_tokenizer(TokenizerType::unigram);
  REQUIRE(other.vocab_size() == vocabulary.source.vocab_size());
  rewrite(saved, [&](auto& files) { files["tokenizer.model"] = other.bytes(); });
  CHECK_THROWS_WITH(load_run(run.path()),
                    test::contains("tokenizer.model: is not the tokenizer that the weights"));
}

TEST_CASE("Weights of another model are refused", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto saved = save(run.path(), 1, new_model(small_options(), vocabulary), vocabulary);
  rewrite(saved, [](auto& files) {
    auto options = nlohmann::json::parse(files["config.json"]);
    options["model"]["d_ff"] = 24;
    files["config.json"] = options.dump();
  });
  CHECK_THROWS_WITH(load_run(run.path()), test::contains("model.safetensors: tensor ") &&
                                              test::contains(", the model has Float"));
}

TEST_CASE("A shared vocabulary matrix is in the file once", "[unit]") {
  const test::TemporaryDirectory run;
  const auto vocabulary = joint_vocabulary();
  const auto saved = save(run.path(), 1, new_model(small_options(), vocabulary), vocabulary);
  const SafetensorsFile file(saved.path / "model.safetensors");
  const auto rows = vocabulary.source.vocab_size();
  CHECK(std::ranges::count_if(file.tensors(), [rows](const TensorView& tensor) {
          return tensor.shape == std::vector<std::int64_t>{rows, 8};
        }) == 1);
  CHECK(file.metadata().at("share_embeddings") == "all");
}

}  // namespace run_files_test
