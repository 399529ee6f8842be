#include "dragoman/model/flops.h"

#include "dragoman/attention/local.h"
#include "dragoman/attention/longformer.h"
#include "dragoman/attention/sparse_transformer.h"
#include "dragoman/attention/strided.h"
#include "support/catch.h"

#include <memory>

namespace flops_test {

using namespace dragoman;

namespace {

constexpr std::int64_t length = 500;

double counted_keys(const Pattern& pattern) {
  double pairs = 0.0;
  for (std::int64_t i = 0; i < length; ++i)
    for (std::int64_t j = 0; j < length; ++j) pairs += pattern.allows(i, j) ? 1.0 : 0.0;
  return pairs / static_cast<double>(length);
}

HeadAttention head_of(AttentionKind kind) {
  HeadAttention head;
  head.kind = kind;
  head.radius = 6, head.dilation = 3, head.stride = 10, head.summary = 2, head.rank = 16;
  return head;
}

}  // namespace

TEST_CASE("the keys of a query are those of its pattern, except at the ends of the sequence",
          "[unit]") {
  using Kind = AttentionKind;
  const std::vector<std::pair<Kind, std::shared_ptr<Pattern>>> patterns = {
      {Kind::local, std::make_shared<LocalPattern>(6)},
      {Kind::dilated, std::make_shared<LocalPattern>(6, 3)},
      {Kind::strided, std::make_shared<StridedPattern>(10)},
      {Kind::strided_relative, std::make_shared<StridedRelativePattern>(10)},
      {Kind::sparse_strided, std::make_shared<SparseStridedPattern>(10)},
      {Kind::sparse_fixed, std::make_shared<SparseFixedPattern>(10, 2)},
      {Kind::longformer, std::make_shared<LongformerPattern>(6, 3)}};
  for (const auto& [kind, pattern] : patterns) {
    auto head = head_of(kind);
    head.global_positions.clear();
    CAPTURE(nlohmann::json(kind).dump());
    CHECK(keys_of_a_query(head, length, 32) == test::Approx(counted_keys(*pattern)).epsilon(0.06));
  }
}

TEST_CASE("sparse, linear and low-rank encoders cost less per forward pass, exact kinds the same",
          "[unit]") {
  const auto flops = [](AttentionKind kind) {
    ModelOptions options;
    options.encoder_attention.layers = {LayerAttention{.common = head_of(kind), .heads = {}}};
    return forward_flops(options, 1000, length, 10);
  };
  const double full = flops(AttentionKind::full);
  for (const auto kind : {AttentionKind::tiled, AttentionKind::fused_torch})
    CHECK(flops(kind) == full);
  // 6 layers of 8 heads, d_k = d_v = 64: of the scores and sums what is left for 64 and for 32 keys.
  for (const auto& [kind, keys] :
       {std::pair{AttentionKind::linear, 64.0}, {AttentionKind::low_rank, 32.0}})
    CHECK(full - flops(kind) == test::Approx(2.0 * 6 * 8 * 128 * length * (length - keys)));
}

}  // namespace flops_test
