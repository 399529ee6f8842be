#include "dragoman/analysis/saliency.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/attention_pictures.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"

#include <torch/nn.h>

#include <cmath>

namespace saliency_test {

using namespace dragoman;

namespace {

const LinePair pair = {"baten koru", "lamis vedo."};

LoadedRun double_run() {
  auto run = test::small_run();
  run.model->to(at::kDouble);
  return run;
}

/// log P of the piece of a step when one source embedding is scaled.
double log_prob(const LoadedRun& run, const Batch& batch, std::int64_t step, std::int64_t position,
                double scale) {
  const torch::NoGradGuard no_gradient;
  auto model = run.model;
  auto embedded = source_embedding(*model).forward(batch.source);
  embedded.select(1, position).mul_(scale);
  const auto mask = AttentionMask::of_keys(batch.source_mask, at::kDouble);
  const auto memory = part<EncoderImpl>(*model, "encoder").forward(embedded, mask);
  auto generator = model->generator();
  const auto hidden = model->decode(batch.target_input, memory, batch.source_mask);
  const auto logits = generator->forward(hidden);
  return logits.log_softmax(-1)[0][step][batch.target_output[0][step].item<std::int64_t>()]
      .item<double>();
}

}  // namespace

TEST_CASE("saliency is the derivative of the log-probability by the size of an embedding",
          "[gradient]") {
  const auto run = double_run();
  const auto example = encode_pair(run.vocabulary, pair);
  const auto shares = saliency(run, example).source;
  const auto* chosen = &example;
  const auto batch = make_batch(std::span(&chosen, 1), run.vocabulary.source.special(),
                                run.vocabulary.target.special());
  REQUIRE(shares.size(0) == std::ssize(example.target_ids));
  REQUIRE(shares.size(1) == std::ssize(example.source_ids));
  constexpr double small = 1e-5;
  for (const std::int64_t step : {std::int64_t{0}, shares.size(0) - 1}) {
    std::vector<double> expected;
    double total = 0.0;
    for (std::int64_t j = 0; j < shares.size(1); ++j) {
      expected.push_back(std::abs(log_prob(run, batch, step, j, 1.0 + small) -
                                  log_prob(run, batch, step, j, 1.0 - small)));
      total += expected.back();
    }
    for (std::int64_t j = 0; j < shares.size(1); ++j) {
      CAPTURE(step, j);
      CHECK(shares[step][j].item<double>() ==
            test::Approx(expected[static_cast<std::size_t>(j)] / total).margin(1e-5));
    }
  }
}

TEST_CASE("no piece that is written later has saliency, and rows sum to 1", "[property]") {
  const auto run = double_run();
  const auto example = encode_pair(run.vocabulary, pair);
  const auto shares = saliency(run, example);
  CHECK(shares.target.triu(1).abs().max().item<double>() == 0.0);
  CHECK((shares.target.sum(-1) - 1.0).abs().max().item<double>() < 1e-9);
  CHECK((shares.source.sum(-1) - 1.0).abs().max().item<double>() < 1e-9);
}

TEST_CASE("a long pair is computed in parts, with the same numbers", "[property]") {
  const auto run = double_run();
  LinePair lengthy;
  for (int i = 0; i < 12; ++i) {
    lengthy.source += "baten koru ";
    lengthy.target += "lamis vedo. ";
  }
  const auto all = saliency(run, encode_pair(run.vocabulary, lengthy));  // more than one part
  const auto beginning = encode_pair(run.vocabulary, {lengthy.source, "lamis"});
  const auto first = saliency(run, beginning).source[0];
  CHECK((all.source[0] - first).abs().max().item<double>() < 1e-9);
  CHECK((all.source.sum(-1) - 1.0).abs().max().item<double>() < 1e-9);
}

TEST_CASE("pictures have saliency where something is written", "[unit]") {
  const auto run = test::small_run();
  const std::vector<LinePair> pairs = {pair, {"baten", ""}};
  auto pictures = attention_pictures(run, pairs);
  add_saliency(run, pairs, pictures);
  for (const auto& map : pictures[0].maps) {
    const auto cells = map.queries.size() * map.keys.size();
    CHECK(map.saliency.size() == (map.kind == AttentionPart::encoder ? 0 : cells));
  }
  for (const auto& map : pictures[1].maps) CHECK(map.saliency.empty());
}

}  // namespace saliency_test
