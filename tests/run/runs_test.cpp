#include "dragoman/run/loaded_run.h"

#include "dragoman/core/error.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/scorer.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "support/temporary_directory.h"
#include "translate/small_translation.h"

namespace runs_test {

using namespace dragoman;

namespace {

void save_run(const std::filesystem::path& run_dir, std::uint64_t seed,
              const Vocabulary& vocabulary) {
  RunOptions options;
  options.model.d_model = 16;
  options.model.d_ff = 32;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.tokenizer.joint = vocabulary.joint;
  auto model = test::random_translation_model(seed);
  model->to(torch::kFloat);
  CheckpointStore(run_dir).save(
      1, [&](CheckpointWriter& writer) { write_model(writer, options, *model, vocabulary); });
}

std::vector<std::filesystem::path> folders(const test::TemporaryDirectory& root) {
  return {root / "a", root / "b"};
}

}  // namespace

TEST_CASE("an ensemble's score of each piece is the logarithm of the mean probability",
          "[property]") {
  const test::TemporaryDirectory root;
  save_run(root / "a", 1, test::joint_vocabulary());
  save_run(root / "b", 2, test::joint_vocabulary());
  const auto runs = open_runs(folders(root));
  const std::vector<LinePair> pairs{{"baten koru", "lamis vedo tegal"}, {"oralu", ""}};
  REQUIRE(runs.size() == 2);
  const auto scores_of = [&](const dragoman::InferenceModels& models) {
    return score_pairs(models, runs.front().vocabulary, pairs);
  };
  const auto models = dragoman::inference_models(runs, {});
  const auto both = scores_of(models);
  const auto first = scores_of({models[0]}), second = scores_of({models[1]});
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t t = 0; t < both[i].pieces.size(); ++t) {
      const double mean =
          (std::exp(first[i].piece_log_probs[t]) + std::exp(second[i].piece_log_probs[t])) / 2.0;
      CHECK(both[i].piece_log_probs[t] == test::Approx(std::log(mean)).epsilon(1e-5));
    }
}

TEST_CASE("a checkpoint that an ensemble has twice is warned of", "[unit]") {
  const test::TemporaryDirectory root;
  save_run(root / "a", 1, test::joint_vocabulary());
  save_run(root / "b", 2, test::joint_vocabulary());
  const test::LogTaken log;
  open_runs(folders(root));
  CHECK(log.warnings.empty());
  CHECK(open_runs(std::vector{root / "a", root / "b", root / "a"}).size() == 3);
  REQUIRE(log.warnings.size() == 1);
  CHECK_THAT(log.warnings[0], test::contains("a/checkpoints/step-00000001: is in the ensemble"));
}

TEST_CASE("runs with different vocabularies are no ensemble", "[unit]") {
  const test::TemporaryDirectory root;
  const auto unigram = test::small_tokenizer(TokenizerType::unigram);
  save_run(root / "a", 1, test::joint_vocabulary());
  save_run(root / "b", 2, {.source = unigram, .target = unigram, .joint = true});
  CHECK_THROWS_WITH(open_runs(folders(root)),
                    test::contains("/b: its source vocabulary is not that of ") &&
                        test::contains("/a; an ensemble needs"));
}

}  // namespace runs_test
