#include "dragoman/analysis/attention_erasure.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/decoding/module_model.h"

#include <torch/nn.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <set>

namespace attention_erasure_test {

using namespace dragoman;

namespace {

/// A model with larger weights, to which its pieces matter.
LoadedRun decided_run(at::ScalarType type) {
  auto run = test::small_run();
  const torch::NoGradGuard no_gradient;
  for (auto& weight : run.model->parameters())
    if (weight.dim() > 1) weight.mul_(2.0);
  run.model->to(type);
  return run;
}

/// What the model makes of one pair, without the erasure test.
class PairByHand {
 public:
  explicit PairByHand(const LinePair& pair)
      : run_(decided_run(at::kFloat)),
        exact_(decided_run(at::kDouble)),
        model_(inference_model(run_.model)),
        worker_(model_->make_worker({})),
        example_(encode_pair(run_.vocabulary, pair)) {}

  /// The pieces of the source but EOS.
  std::size_t pieces() const { return example_.source_ids.size() - 1; }

  /// By how much log P(target | source) falls without a piece.
  double drop(std::size_t piece) const {
    auto shorter = example_.source_ids;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(piece));
    return log_prob(example_.source_ids) - log_prob(shorter);
  }

  /// The mean of the last layer's weights.
  double attention(std::size_t piece) const {
    const std::vector<std::span<const std::int32_t>> source = {example_.source_ids},
                                                     target = {example_.target_ids};
    const auto map = worker_->attention(source, target).front();
    double sum = 0.0;
    for (std::size_t t = 0; t < example_.target_ids.size(); ++t)
      sum += map.weights[t * example_.source_ids.size() + piece];
    return sum / static_cast<double>(example_.target_ids.size());
  }

  /// |gradient x input|: the change of log P(target | source) as a piece's embedding grows.
  double gradient(std::size_t piece) const {
    constexpr double step = 1e-6;
    return std::abs(scaled(piece, 1.0 + step) - scaled(piece, 1.0 - step)) / (2.0 * step);
  }

 private:
  double log_prob(const std::vector<std::int32_t>& source_ids) const {
    const std::vector<std::span<const std::int32_t>> source = {source_ids},
                                                     target = {example_.target_ids};
    const auto log_probs = worker_->log_probs(source, target).front();
    return std::accumulate(log_probs.begin(), log_probs.end(), 0.0);
  }

  /// log P(target | source) with a piece's embedding multiplied by `factor`.
  double scaled(std::size_t piece, double factor) const {
    const torch::NoGradGuard no_gradient;
    auto model = exact_.model;
    const auto* const example = &example_;
    const auto batch = make_batch(std::span(&example, 1), {}, {});
    const auto embedded = model->embed_source(batch.source);
    embedded[0][static_cast<std::int64_t>(piece)] *= factor;
    const auto memory = model->encode_embedded(embedded, batch.source, batch.source_mask);
    auto generator = model->generator();
    return generator->forward(model->decode(batch.target_input, memory, batch.source_mask))
        .log_softmax(-1)
        .gather(-1, batch.target_output.unsqueeze(-1))
        .sum()
        .item<double>();
  }

  LoadedRun run_, exact_;
  std::shared_ptr<const InferenceModel> model_;
  std::unique_ptr<InferenceWorker> worker_;
  Example example_;
};

}  // namespace

TEST_CASE("rank correlation depends on order only and averages the ranks of ties", "[unit]") {
  const std::vector<double> a = {0.1, 0.2, 0.9, 0.3};
  CHECK(rank_correlation(a, std::vector<double>{1, 2, 4, 3}) == test::Approx(1.0));
  CHECK(rank_correlation(a, std::vector<double>{-1, -2, -40, -3}) == test::Approx(-1.0));
  CHECK(rank_correlation(a, std::vector<double>{5, 5, 5, 5}) == 0.0);
  // Ranks 0, 1.5, 1.5, 3 against 0, 1, 3, 2.
  CHECK(rank_correlation(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 2, 9, 4}) ==
        test::Approx((2.25 + 0.0 + 0.0 + 0.75) / std::sqrt(4.5 * 5.0)));
}

TEST_CASE("the erasure test counts sentences that are long enough and is determined by its seed",
          "[unit]") {
  const auto run = test::small_run();
  const std::vector<LinePair> pairs = {{"a b d e", "b d e"}, {"", "a"}, {"d e f g h", "a b"}};
  const auto first = test_erasure(run, pairs, 1);
  CHECK(first.sentences == 2);
  CHECK(std::abs(first.rank_correlation) <= 1.0);
  CHECK(first.drop_random == test_erasure(run, pairs, 1).drop_random);
}

TEST_CASE("erasing a piece changes the score as deleting it by hand does", "[property]") {
  const auto run = decided_run(at::kFloat);
  for (const auto& pair : std::vector<LinePair>{
           {"a b", "b d e"}, {"koru", "vedo a"}, {"fenik", "oralu tegal"}, {"koru.", "vedo!"}}) {
    const PairByHand by_hand(pair);
    const auto pieces = by_hand.pieces();
    CAPTURE(pair.source, pieces);
    REQUIRE(pieces >= 3);
    REQUIRE(pieces <= 5);
    std::size_t most = 0, least = 0, steepest = 0;
    std::vector<double> drops;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (by_hand.attention(i) > by_hand.attention(most)) most = i;
      if (by_hand.attention(i) < by_hand.attention(least)) least = i;
      if (by_hand.gradient(i) > by_hand.gradient(steepest)) steepest = i;
      drops.push_back(by_hand.drop(i));
    }
    CAPTURE(drops, most, least, steepest);
    const auto is_drop = [&](double drop, std::size_t piece) {
      return std::abs(drop - drops[piece]) < 1e-5;
    };
    std::set<std::size_t> drawn;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const auto report = test_erasure(run, std::vector{pair}, seed);
      CHECK(is_drop(report.drop_most_attended, most));
      CHECK(is_drop(report.drop_least_attended, least));
      CHECK(is_drop(report.drop_largest_gradient, steepest));
      for (std::size_t i = 0; i < pieces; ++i)
        if (is_drop(report.drop_random, i)) drawn.insert(i);
    }
    // Every other piece is drawn some time.
    CHECK(drawn.size() == pieces - 1);
    CHECK_FALSE(drawn.contains(most));
  }
}

TEST_CASE("the encoder of the erasure test sees its global tokens", "[unit]") {
  const auto run =
      test::small_run({.kind = AttentionKind::longformer, .radius = 1, .global_tokens = {5}});
  const std::vector<LinePair> pairs = {{"a b d e", "b d e"}};
  const auto report = test_erasure(run, pairs, 1);
  CHECK(report.sentences == 1);
  CHECK(std::isfinite(report.drop_random));
}

TEST_CASE("every piece counts where sources do not end with EOS", "[unit]") {
  auto run = test::small_run();
  const std::vector<LinePair> pairs = {{"a b", "b d e"}};
  REQUIRE(run.vocabulary.source.encode("a b").size() == 3);
  run.vocabulary.source = test::without_source_eos(run.vocabulary.source);
  CHECK(test_erasure(run, pairs, 1).sentences == 1);
}

}  // namespace attention_erasure_test
