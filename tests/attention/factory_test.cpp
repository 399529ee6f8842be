#include "dragoman/attention/factory.h"

#include "dragoman/attention/keys_per_query.h"
#include "dragoman/attention/local.h"
#include "dragoman/attention/longformer.h"
#include "dragoman/attention/sparse_transformer.h"
#include "dragoman/attention/strided.h"

#include "attention_support.h"

#include <memory>
#include <utility>

namespace factory_test {

using namespace dragoman;

namespace {

constexpr std::int64_t length = 500;

double counted_keys(const Pattern& pattern, StackSide side) {
  double pairs = 0.0;
  for (std::int64_t i = 0; i < length; ++i)
    for (std::int64_t j = 0; j < (side == StackSide::decoder ? i + 1 : length); ++j)
      pairs += pattern.allows(i, j) ? 1.0 : 0.0;
  return pairs / static_cast<double>(length);
}

double keys_of(const HeadAttention& options, double len, StackSide side = StackSide::encoder) {
  return keys_per_query(options, /*d_k=*/24.0, /*d_v=*/40.0, side)(len);
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
    const HeadAttention head{.kind = kind,
                             .radius = 6,
                             .dilation = 3,
                             .stride = 10,
                             .summary = 2,
                             .global_positions = {}};
    CAPTURE(test::name_of(head));
    CHECK(keys_of(head, length) ==
          test::Approx(counted_keys(*pattern, StackSide::encoder)).epsilon(0.06));
    if (kind == Kind::strided || kind == Kind::strided_relative) continue;  // all columns
    CHECK(keys_of(head, length, StackSide::decoder) ==
          test::Approx(counted_keys(*pattern, StackSide::decoder)).epsilon(0.08));
  }
}

TEST_CASE(
    "a query has all keys in exact kinds, never more in sparse ones, a fixed number in others",
    "[unit]") {
  for (const auto& head : test::all_kinds())
    for (const double len : {1.0, 2.0, 7.0, 100.0}) {
      CAPTURE(test::name_of(head), len);
      if (is_exact(head.kind))
        CHECK(keys_of(head, len) == len);
      else if (head.kind == AttentionKind::linear)
        CHECK(keys_of(head, len) == (2.0 * 24.0 * 40.0 + 24.0) / 64.0);
      else if (head.kind == AttentionKind::low_rank)
        CHECK(keys_of(head, len) == 2.0 * static_cast<double>(head.rank));
      else
        CHECK(keys_of(head, len) <= len);
    }
  // A global position is a key of all others, and all others are keys of it.
  const HeadAttention local{.kind = AttentionKind::local, .radius = 2};
  const HeadAttention global{
      .kind = AttentionKind::global_local, .radius = 2, .global_positions = {0, -1}};
  CHECK(keys_of(global, 100.0) == keys_of(local, 100.0) + 4.0);
  CHECK(keys_of(global, 100.0, StackSide::decoder) == 3.0 + 2.0);
}

TEST_CASE("every kind accepts a batch without sentences, and sentences without tokens", "[unit]") {
  for (const auto& head : test::all_kinds())
    for (const auto& [batch, len] : {std::pair{0, 5}, {2, 0}, {0, 0}})
      for (const bool causal : {false, true}) {
        if (causal && head.kind == AttentionKind::low_rank) continue;
        CAPTURE(test::name_of(head), batch, len, causal);
        const auto heads = test::random_heads(batch, len, len, 4, 5, at::kFloat);
        const auto mask = AttentionMask::structured({}, causal);
        const auto result = test::attended(*dragoman::make_attention(head), heads, mask);
        CHECK(result.context.sizes() == at::IntArrayRef({batch, 2, len, 5}));
        CHECK(result.query.sizes() == heads.query.sizes());
      }
}

TEST_CASE("the keys of a query are counted without a random number", "[unit]") {
  at::manual_seed(1);
  const auto expected = at::rand({3});
  at::manual_seed(1);
  for (const auto& head : test::all_kinds()) keys_of(head, length);
  CHECK(at::equal(at::rand({3}), expected));
}

}  // namespace factory_test
