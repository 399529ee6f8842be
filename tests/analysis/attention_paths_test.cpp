// The weights that analyses show of a model whose attention itself computes none.
#include "analysis/small_run.h"
#include "dragoman/analysis/attention_pictures.h"
#include "dragoman/analysis/head_statistics.h"

#include <torch/nn.h>

namespace attention_paths_test {

using namespace dragoman;

namespace {

const std::vector<LinePair> shown_pairs = {{"baten koru lamis vedo plonar.", "vedo tegal ruzo!"},
                                           {"a", "oralu fenik gipse"}};

/// The same weights whatever the kind, since none of them has parameters of its own.
LoadedRun run_with(AttentionKind kind) {
  const LayerAttention attention = {.common = {.kind = kind, .block = 2}, .heads = {}};
  return test::small_run([&](ModelOptions& options) {
    options.encoder_attention.layers = {attention};
    options.decoder_attention.layers = {attention};
    options.cross_attention.layers = {attention};
  });
}

}  // namespace

TEST_CASE("tiled and fused attention show the weights of full attention, in rows of sum 1",
          "[property]") {
  const auto expected = attention_pictures(run_with(AttentionKind::full), shown_pairs);
  for (const auto kind : {AttentionKind::tiled, AttentionKind::fused_torch}) {
    CAPTURE(nlohmann::json(kind).dump());
    const auto pictures = attention_pictures(run_with(kind), shown_pairs);
    REQUIRE(pictures.size() == expected.size());
    for (std::size_t p = 0; p < pictures.size(); ++p) {
      REQUIRE(pictures[p].maps.size() == 3);
      for (std::size_t m = 0; m < 3; ++m) {
        const auto &map = pictures[p].maps[m], &other = expected[p].maps[m];
        CAPTURE(p, name_of(map.kind));
        CHECK(map.queries == other.queries);
        CHECK(map.keys == other.keys);
        CHECK(map.layers == 2);
        REQUIRE(map.weights.size() == other.weights.size());
        for (std::size_t i = 0; i < map.weights.size(); ++i)
          CHECK(map.weights[i] == test::Approx(other.weights[i]).margin(1e-6));
        for (std::size_t row = 0; row < map.weights.size(); row += map.keys.size()) {
          double sum = 0.0;
          for (std::size_t j = 0; j < map.keys.size(); ++j) {
            CHECK(map.weights[row + j] >= 0.0F);
            sum += map.weights[row + j];
          }
          CHECK(sum == test::Approx(1.0).margin(1e-5));
        }
      }
    }
  }
}

TEST_CASE("statistics of heads are the same with tiled, fused and full attention", "[property]") {
  const auto expected = head_statistics(run_with(AttentionKind::full), shown_pairs);
  for (const auto kind : {AttentionKind::tiled, AttentionKind::fused_torch}) {
    CAPTURE(nlohmann::json(kind).dump());
    const auto layers = head_statistics(run_with(kind), shown_pairs);
    REQUIRE(layers.size() == expected.size());
    for (std::size_t l = 0; l < layers.size(); ++l) {
      REQUIRE(layers[l].heads.size() == 2);
      for (std::size_t h = 0; h < 2; ++h) {
        const auto &head = layers[l].heads[h], &other = expected[l].heads[h];
        CHECK(head.entropy == test::Approx(other.entropy).margin(1e-5));
        CHECK(head.max_weight == test::Approx(other.max_weight).margin(1e-5));
        CHECK(head.mean_distance == test::Approx(other.mean_distance).margin(1e-5));
        CHECK(head.semantic == test::Approx(other.semantic).margin(1e-4));
      }
    }
  }
}

}  // namespace attention_paths_test
