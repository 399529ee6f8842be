#include "dragoman/attention/sparse.h"

#include "attention_support.h"
#include "dragoman/core/error.h"

namespace sparse_test {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::HeadAttention;

namespace {

constexpr test::Tolerance rounding{1e-10, 1e-12};

/// The kinds that attend to the keys of a pattern, in several sizes.
std::vector<HeadAttention> patterns() {
  return {
      {.kind = AttentionKind::local, .radius = 0},
      {.kind = AttentionKind::local, .radius = 3},
      {.kind = AttentionKind::local, .radius = 40},
      {.kind = AttentionKind::dilated, .radius = 2, .dilation = 3},
      {.kind = AttentionKind::dilated, .radius = 20, .dilation = 2},
      {.kind = AttentionKind::strided, .stride = 1},
      {.kind = AttentionKind::strided, .stride = 5},
      {.kind = AttentionKind::strided_relative, .stride = 4},
      {.kind = AttentionKind::sparse_strided, .stride = 1},
      {.kind = AttentionKind::sparse_strided, .stride = 4},
      {.kind = AttentionKind::sparse_fixed, .stride = 5, .summary = 2},
      {.kind = AttentionKind::sparse_fixed, .stride = 50, .summary = 1},
      {.kind = AttentionKind::global_local, .radius = 2, .global_positions = {0, -1, 5, 90, -90}},
      {.kind = AttentionKind::global_local, .radius = 1, .global_positions = {}},
      {.kind = AttentionKind::longformer, .radius = 2, .dilation = 4, .global_positions = {1, -2}}};
}

at::Tensor some_keys(std::int64_t len) { return test::real_tokens({len, (len + 1) / 2, 1}, len); }

}  // namespace

TEST_CASE("attention in blocks equals the definition over all pairs, results and gradients",
          "[property]") {
  for (const auto& options : patterns())
    for (const std::int64_t len : {1, 2, 5, 16, 37})
      for (const auto causal : {false, true})
        for (const bool padded : {false, true}) {
          CAPTURE(nlohmann::json(options).dump(), len, causal, padded);
          const auto attention = dragoman::make_attention(options);
          const auto heads = test::random_heads(3, len, len);
          const auto mask =
              AttentionMask::structured(padded ? some_keys(len) : at::Tensor(), causal);
          test::check_same(test::attended(*attention, heads, mask),
                           test::attended_densely(*attention, heads, mask), rounding);
        }
}

TEST_CASE("a mask of arbitrary pairs is obeyed", "[property]") {
  const auto heads = test::random_heads(2, 9, 9);
  const auto allow = at::rand({2, 1, 9, 9}) < 0.5;
  const auto mask = AttentionMask::from(allow, at::kDouble);
  const auto local = dragoman::make_attention({.kind = AttentionKind::local, .radius = 2});
  const auto position = at::arange(9);
  const auto near = (position.unsqueeze(1) - position).abs() <= 2;
  test::check_same(test::attended(*local, heads, mask),
                   test::attended(*dragoman::make_attention({}), heads,
                                  AttentionMask::from(allow.logical_and(near), at::kDouble)),
                   rounding);
}

TEST_CASE("global positions counted from the end follow each sentence's own end", "[property]") {
  const HeadAttention options{
      .kind = AttentionKind::global_local, .radius = 1, .global_positions = {-1}};
  const auto attention = dragoman::make_attention(options);
  const auto heads = test::random_heads(3, 8, 8);
  const auto batch =
      test::attended(*attention, heads, AttentionMask::structured(some_keys(8), /*causal=*/false))
          .context;
  const auto first_four = [](const at::Tensor& x) {
    return x.detach().narrow(0, 1, 1).narrow(2, 0, 4).requires_grad_();
  };
  const test::Heads alone{first_four(heads.query), first_four(heads.key), first_four(heads.value),
                          first_four(heads.outer).detach()};
  CHECK_THAT(test::attended(*attention, alone, {}).context,
             test::close_to(batch.narrow(0, 1, 1).narrow(2, 0, 4)));
}

TEST_CASE("pieces can be global wherever they occur", "[property]") {
  HeadAttention options{.kind = AttentionKind::global_local, .radius = 1, .global_positions = {}};
  options.global_tokens = {7, 9};
  const auto heads = test::random_heads(2, 6, 6);
  AttentionMask mask;
  mask.tokens = at::tensor({1, 7, 2, 3, 9, 4, 9, 1, 2, 3, 4, 5}, at::kLong).view({2, 6});
  const auto position = at::arange(6);
  const auto near = (position.unsqueeze(1) - position).abs() <= 1;
  const auto global = at::logical_or(mask.tokens == 7, mask.tokens == 9).unsqueeze(1);
  const auto allow = near.logical_or(global.unsqueeze(2)).logical_or(global.unsqueeze(3));
  const auto attention = dragoman::make_attention(options);
  test::check_same(
      test::attended(*attention, heads, mask),
      test::attended(*dragoman::make_attention({}), heads, AttentionMask::from(allow, at::kDouble)),
      rounding);
  CHECK_THROWS_AS(test::attended(*attention, heads, {}), dragoman::ContractError);
}

TEST_CASE("a global first position carries information between distant ends in two layers",
          "[property]") {
  const HeadAttention options{
      .kind = AttentionKind::global_local, .radius = 1, .global_positions = {0}};
  const auto reaches = [](const HeadAttention& kind, int layers) {
    const auto attention = dragoman::make_attention(kind);
    const auto x = test::random_heads(1, 50, 50, 4, 4).query;
    auto hidden = x;
    for (int i = 0; i < layers; ++i)
      hidden = attention->attend(hidden, {hidden, hidden}, {}, {.scale = 0.5}).context;
    const auto gradient = torch::autograd::grad({hidden.select(2, 49).sum()}, {x})[0];
    return gradient.select(2, 1).abs().max().item<double>() > 0.0;
  };
  CHECK_FALSE(reaches(options, 1));
  CHECK(reaches(options, 2));
  CHECK_FALSE(reaches({.kind = AttentionKind::local, .radius = 1}, 2));
}

TEST_CASE("sparse attention drops weights at the given rate", "[property]") {
  const auto attention = dragoman::make_attention({.kind = AttentionKind::local, .radius = 2});
  const auto unit = at::eye(40).expand({2, 1, 40, 40});
  const auto query = at::zeros({2, 1, 40, 40});
  const auto context =
      attention->attend(query, {unit, unit}, {}, {.scale = 1.0, .dropout = 0.5, .training = true})
          .context;
  const auto inside = context.narrow(2, 2, 36);  // five keys each
  CHECK(at::logical_or(inside == 0, at::isclose(inside, at::full({}, 2.0 / 5))).all().item<bool>());
  CHECK((inside > 0).sum().item<double>() / (2 * 36 * 5) == test::Approx(0.5).margin(0.12));
}

TEST_CASE("sparse attention between two sequences is refused", "[unit]") {
  const auto heads = test::random_heads(1, 3, 4);
  CHECK_THROWS_WITH(dragoman::make_attention({.kind = AttentionKind::local})
                        ->attend(heads.query, {heads.key, heads.value}, {}, {}),
                    "sparse attention: 3 queries and 4 keys; both must be of the same sequence");
}

}  // namespace sparse_test
