#include "dragoman/analysis/head_similarity.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/prune.h"

#include <ATen/ATen.h>

#include <cmath>

namespace head_similarity_test {

using namespace dragoman;

namespace {

const std::vector<LinePair> two_pairs = {{"baten koru", "lamis"},
                                         {"vedo plonar tegal", "ruzo fenik"}};

}  // namespace

TEST_CASE("the distance of two heads is the divergence of their weights", "[unit]") {
  // Three heads, two queries over two keys; the second query is padding.
  const auto weights = at::tensor({1.0, 0.0, 0.5, 0.5,  //
                                   0.0, 1.0, 0.5, 0.5,  //
                                   0.5, 0.5, 1.0, 0.0},
                                  at::kDouble)
                           .view({1, 3, 2, 2});
  HeadDistanceSum sum;
  sum.add(weights, at::tensor({1, 0}).to(at::kBool).view({1, 2}));
  const LayerDistances layer = {.heads = {0, 1, 2}, .distance = sum.means()};
  CHECK(layer.distance[0][0] == 0.0);
  CHECK(layer.distance[0][1] == test::Approx(1.0));
  // The mixture of (1, 0) and (1/2, 1/2) is (3/4, 1/4).
  const double mixture = -0.75 * std::log2(0.75) - 0.25 * std::log2(0.25);
  CHECK(layer.distance[0][2] == test::Approx(mixture - 0.5));
  CHECK(layer.distance[2][0] == test::Approx(layer.distance[0][2]));
  CHECK(layer.nearest(0) == 2);
  CHECK(layer.nearest(2) == 0);
}

TEST_CASE("distances cover the remaining heads of all existing kinds of attention", "[property]") {
  auto run = test::small_run(EncoderLayerKind::attention, DecoderLayerKind::lstm);
  const std::vector<HeadPlace> gone = {
      {AttentionPart::encoder, 0, 0}, {AttentionPart::cross, 1, 0}, {AttentionPart::cross, 1, 1}};
  run.model = prune_heads(*run.model, gone);
  run.options.model = run.model->options();
  const auto layers = head_distances(run, two_pairs);
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].heads == std::vector<std::int64_t>{1});
  CHECK(layers[2].kind == AttentionPart::cross);
  for (const auto& layer : {layers[1], layers[2]}) {
    REQUIRE(layer.heads.size() == 2);
    CHECK(layer.distance[0][1] > 0.0);
    CHECK(layer.distance[0][1] < 1.0);
  }
}

}  // namespace head_similarity_test
