#include "analysis/small_run.h"
#include "dragoman/analysis/alignment_heads.h"
#include "dragoman/analysis/attention_erasure.h"
#include "dragoman/analysis/attention_pictures.h"
#include "dragoman/analysis/contrast.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/head_importance.h"
#include "dragoman/analysis/head_similarity.h"
#include "dragoman/analysis/head_statistics.h"
#include "dragoman/analysis/prune.h"
#include "dragoman/analysis/saliency.h"
#include "dragoman/analysis/word_relations.h"
#include "support/close.h"
#include "support/devices.h"

// Every analysis of a trained model, on each device against the CPU.
namespace analysis_devices_test {

using namespace dragoman;

namespace {

struct LayerKinds {
  EncoderLayerKind encoder = EncoderLayerKind::attention;
  DecoderLayerKind decoder = DecoderLayerKind::attention;
};

constexpr LayerKinds lstm = {.encoder = EncoderLayerKind::lstm, .decoder = DecoderLayerKind::lstm};

LoadedRun run_on(const c10::Device& device, const LayerKinds& layers) {
  auto run = test::small_run(layers.encoder, layers.decoder);
  run.model->to(at::kDouble);
  run.model->to(device);
  return run;
}

std::vector<LinePair> some_pairs() {
  return {{"baten koru", "lamis vedo."}, {"koru", "vedo lamis"}, {"lamis koru vedo", "baten"}};
}

/// Calls `check` with a run on each device but the CPU, and with the same on the CPU.
template <typename Check>
void compare(const Check& check, const LayerKinds& layers = {}) {
  const auto host = run_on(c10::kCPU, layers);
  for (const auto& device : test::other_devices()) {
    if (layers.encoder == EncoderLayerKind::lstm && !device.is_cuda())
      continue;  // the emulated device lacks the backward pass of an LSTM
    CAPTURE(device.str());
    check(run_on(device, layers), host);
  }
}

auto near(double value) { return test::Approx(value).epsilon(1e-6).margin(1e-7); }

}  // namespace

TEST_CASE("attention and saliency are the same on each device", "[property]") {
  const auto check = [](const LoadedRun& there, const LoadedRun& host) {
    auto actual = attention_pictures(there, some_pairs());
    auto expected = attention_pictures(host, some_pairs());
    add_saliency(there, some_pairs(), actual);
    add_saliency(host, some_pairs(), expected);
    REQUIRE(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
      for (std::size_t m = 0; m < actual[i].maps.size(); ++m) {
        const auto &map = actual[i].maps[m], &same = expected[i].maps[m];
        CHECK_THAT(at::tensor(map.weights), test::close_to(at::tensor(same.weights)));
        CHECK_THAT(at::tensor(map.saliency), test::close_to(at::tensor(same.saliency)));
      }
  };
  compare(check);
  compare(check, lstm);
}

TEST_CASE("statistics and distances of heads are the same on each device", "[property]") {
  compare([](const LoadedRun& there, const LoadedRun& host) {
    const auto actual = head_statistics(there, some_pairs());
    const auto expected = head_statistics(host, some_pairs());
    REQUIRE(actual.size() == expected.size());
    for (std::size_t layer = 0; layer < actual.size(); ++layer)
      for (std::size_t h = 0; h < actual[layer].heads.size(); ++h) {
        CHECK(actual[layer].heads[h].entropy == near(expected[layer].heads[h].entropy));
        CHECK(actual[layer].heads[h].mass_last == near(expected[layer].heads[h].mass_last));
        CHECK(actual[layer].heads[h].semantic == near(expected[layer].heads[h].semantic));
      }
    const auto distances = head_distances(there, some_pairs());
    const auto same = head_distances(host, some_pairs());
    for (std::size_t layer = 0; layer < distances.size(); ++layer)
      CHECK(distances[layer].distance[0][1] == near(same[layer].distance[0][1]));
  });
}

TEST_CASE("the importance of heads is the same on each device", "[property]") {
  const auto check = [](const LoadedRun& there, const LoadedRun& host) {
    std::vector<Example> examples;
    for (const auto& pair : some_pairs()) examples.push_back(encode_pair(host.vocabulary, pair));
    const auto of = [&](const LoadedRun& run) {
      return head_importance(run.model, examples, run.vocabulary.source.special(),
                             run.vocabulary.target.special(), Ablation::each_head);
    };
    const auto actual = of(there), expected = of(host);
    CHECK(actual.nll == near(expected.nll));
    REQUIRE(actual.heads.size() == expected.heads.size());
    for (std::size_t h = 0; h < actual.heads.size(); ++h) {
      CHECK(actual.heads[h].importance == near(expected.heads[h].importance));
      CHECK(*actual.heads[h].nll_without == near(*expected.heads[h].nll_without));
    }
  };
  compare(check);
  compare(check, lstm);
}

TEST_CASE("alignments are the same on each device", "[property]") {
  compare([](const LoadedRun& there, const LoadedRun& host) {
    const auto actual = alignments_of_heads(there, some_pairs());
    const auto expected = alignments_of_heads(host, some_pairs());
    REQUIRE(actual.size() == expected.size());
    for (std::size_t h = 0; h < actual.size(); ++h) CHECK(actual[h].sources == expected[h].sources);
  });
}

TEST_CASE("erasure, contrasts and word relations are the same on each device", "[property]") {
  compare([](const LoadedRun& there, const LoadedRun& host) {
    const auto actual = test_erasure(there, some_pairs(), 3);
    const auto expected = test_erasure(host, some_pairs(), 3);
    CHECK(actual.sentences > 0);
    CHECK(actual.rank_correlation == near(expected.rank_correlation));
    CHECK(actual.drop_random == near(expected.drop_random));
    CHECK(actual.drop_most_attended == near(expected.drop_most_attended));
    const std::vector<Contrast> contrasts = {{"baten koru", "lamis", "vedo", "koru", {"baten"}}};
    const auto tested = test_contrasts(there, contrasts), same = test_contrasts(host, contrasts);
    CHECK(tested.front().translation == same.front().translation);
    CHECK(tested.front().right_log_prob == test::Approx(same.front().right_log_prob).margin(1e-5));
    const std::vector<std::vector<WordPair>> words = {
        {{.from = 1, .to = 0, .relation = "a"}}, {}, {}};
    const auto shares = relation_shares(there, some_pairs(), words);
    const auto same_shares = relation_shares(host, some_pairs(), words);
    CHECK(shares.front().shares[1][1] == near(same_shares.front().shares[1][1]));
  });
}

TEST_CASE("a model is pruned where it is", "[property]") {
  compare([](const LoadedRun& there, const LoadedRun& host) {
    const std::vector<HeadPlace> heads = {head_place("encoder:1.2"), head_place("cross:2.1")};
    const auto actual = prune_heads(*there.model, heads),
               expected = prune_heads(*host.model, heads);
    const auto weights = actual->named_parameters();
    for (const auto& weight : expected->named_parameters()) {
      CAPTURE(weight.key());
      CHECK(weights[weight.key()].device() == there.model->parameters().front().device());
      CHECK(test::same_bits(weights[weight.key()].cpu(), weight.value()));
    }
  });
}

}  // namespace analysis_devices_test
