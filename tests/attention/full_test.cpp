#include "dragoman/attention/full.h"

#include "attention_support.h"
#include "dragoman/attention/fused.h"
#include "dragoman/attention/fused_torch.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/random_stream.h"

#include "support/close.h"

#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <tuple>

namespace full_test {

using dragoman::AttentionMask;
using dragoman::AttentionSettings;
using dragoman::KeyValue;
using dragoman::NeedWeights;

namespace {

struct Heads {
  at::Tensor query, key, value, outer;
};

/// Heads as projections produce them: [batch, len, num_heads, width] in memory.
Heads random_heads(std::int64_t queries, std::int64_t keys, std::int64_t d_k, std::int64_t d_v,
                   at::ScalarType type = at::kFloat) {
  at::manual_seed(static_cast<std::uint64_t>(queries * 100 + keys));
  const auto draw = [&](std::int64_t len, std::int64_t width) {
    return at::randn({3, len, 2, width}).to(type).transpose(1, 2);
  };
  const auto leaf = [](const at::Tensor& x) { return x.detach().requires_grad_(); };
  return {leaf(draw(queries, d_k)), leaf(draw(keys, d_k)), leaf(draw(keys, d_v)),
          draw(queries, d_v)};
}

struct Computed {
  at::Tensor context, weights, query, key, value;
};

template <typename Way>
Computed compute(const Way& way, const Heads& heads, const AttentionMask& mask,
                 const AttentionSettings& settings) {
  const dragoman::RandomScope same_dropout(7);
  const auto result = way(heads.query, KeyValue{heads.key, heads.value}, mask, settings);
  const auto gradients =
      torch::autograd::grad({result.context}, {heads.query, heads.key, heads.value},
                            {heads.outer.to(result.context.scalar_type())});
  return {result.context, result.weights, gradients[0], gradients[1], gradients[2]};
}

void check_same(const Computed& fused, const Computed& products) {
  const test::Tolerance tolerance{1e-4, 2e-5};
  CHECK_THAT(fused.context, test::close_to(products.context, tolerance));
  CHECK_THAT(fused.weights, test::close_to(products.weights, tolerance));
  CHECK_THAT(fused.query, test::close_to(products.query, tolerance));
  CHECK_THAT(fused.key, test::close_to(products.key, tolerance));
  CHECK_THAT(fused.value, test::close_to(products.value, tolerance));
}

/// Masks of every kind for [3, 2, queries, keys], one of them with queries that see nothing.
std::vector<at::Tensor> some_masks(std::int64_t queries, std::int64_t keys) {
  auto scattered = at::rand({3, 1, queries, keys}) < 0.6;
  scattered.narrow(0, 1, 1).narrow(2, 0, 1).fill_(false);
  const auto causal = at::ones({queries, keys}, at::kBool).tril();
  const auto real = test::real_tokens({keys, (keys + 1) / 2, 1}, keys).unsqueeze(1).unsqueeze(1);
  return {at::Tensor(), causal, real, causal.logical_and(real), scattered};
}

/// Other contents in the keys and values that none of some queries sees change neither what these
/// queries get nor the gradients of what they get, which are 0 at these keys and values.
void check_contents_of_hidden_keys(const Heads& heads, const at::Tensor& allow, std::int64_t first,
                                   std::int64_t count) {
  const auto queries = heads.query.size(2), keys = heads.key.size(2);
  const auto seen = allow.expand({3, 1, queries, keys}).narrow(2, first, count).any(2);  // a key
  const auto hidden = seen.logical_not().unsqueeze(3);
  auto outer = at::zeros_like(heads.outer);
  outer.narrow(2, first, count).copy_(heads.outer.narrow(2, first, count));
  const auto changed = [&](const at::Tensor& x, double content) {
    return x.detach().masked_fill(hidden, content).requires_grad_();
  };
  const auto mask = AttentionMask::from(allow, heads.query.scalar_type());
  const auto attended = [&](const at::Tensor& key, const at::Tensor& value) {
    return compute(dragoman::scaled_dot_product_attention, {heads.query, key, value, outer}, mask,
                   {.scale = 0.5, .need_weights = NeedWeights::yes});
  };
  const auto result = attended(heads.key, heads.value);
  const auto other = attended(changed(heads.key, 37.0), changed(heads.value, -11.0));
  const auto same_rows = [&](const at::Tensor& a, const at::Tensor& b) {
    return at::equal(a.narrow(2, first, count), b.narrow(2, first, count));  // 0 or -0
  };
  CHECK(same_rows(result.context, other.context));
  CHECK(same_rows(result.weights, other.weights));
  CHECK(test::same_bits(result.query, other.query));
  for (const auto& [x, y] : {std::pair{result.key, other.key}, {result.value, other.value}}) {
    CHECK(test::same_bits(x, y));
    CHECK(x.masked_select(hidden).eq(0.0).all().item<bool>());
    CHECK(y.masked_select(hidden).eq(0.0).all().item<bool>());
  }
}

}  // namespace

TEST_CASE("fused attention equals the products, results and gradients", "[property]") {
  for (const auto& [queries, keys] : {std::pair{1, 1}, {1, 7}, {2, 16}, {3, 17}, {6, 6}, {13, 40}})
    for (const auto& [d_k, d_v] : {std::pair{16, 16}, {32, 32}, {64, 48}, {4, 24}, {21, 1}})
      for (const auto& allow : some_masks(queries, keys)) {
        CAPTURE(queries, keys, d_k, d_v, allow);
        const auto heads = random_heads(queries, keys, d_k, d_v);
        REQUIRE(dragoman::suits_fused_attention(heads.query, {heads.key, heads.value}));
        const auto mask = AttentionMask::from(allow, at::kFloat);
        const AttentionSettings settings{.scale = 0.2, .need_weights = NeedWeights::yes};
        check_same(compute(dragoman::fused_attention, heads, mask, settings),
                   compute(dragoman::product_attention, heads, mask, settings));
      }
}

TEST_CASE("fused attention in bf16 is that of the same numbers in float32, rounded once",
          "[property]") {
  for (const auto& [queries, keys, d_k, d_v] :
       {std::tuple{2, 16, 32, 48}, {13, 40, 32, 48}, {13, 40, 24, 5}})
    for (const auto& allow : some_masks(queries, keys)) {
      CAPTURE(queries, keys, d_k, d_v, allow);
      const auto heads = random_heads(queries, keys, d_k, d_v, at::kBFloat16);
      const auto wide = [](const at::Tensor& x) {
        return x.detach().to(at::kFloat).requires_grad_(x.requires_grad());
      };
      const Heads same{wide(heads.query), wide(heads.key), wide(heads.value), wide(heads.outer)};
      const auto mask = AttentionMask::from(allow, at::kFloat);
      const AttentionSettings settings{
          .scale = 0.2, .dropout = 0.3, .training = true, .need_weights = NeedWeights::yes};
      const auto narrow = compute(dragoman::fused_attention, heads, mask, settings);
      const auto exact = compute(dragoman::fused_attention, same, mask, settings);
      CHECK(narrow.weights.equal(exact.weights));
      for (const auto& [rounded, x] : {std::pair{narrow.context, exact.context},
                                       {narrow.query, exact.query},
                                       {narrow.key, exact.key},
                                       {narrow.value, exact.value}}) {
        CHECK(rounded.scalar_type() == at::kBFloat16);
        CHECK(rounded.equal(x.to(at::kBFloat16)));
      }
    }
}

TEST_CASE("a mask made dense is dense, even if it hides nothing", "[unit]") {
  const auto like = at::zeros({1});
  const auto all = at::ones({2, 5}, at::kBool), some = all.tril();
  for (const bool causal : {false, true}) {
    CAPTURE(causal);
    CHECK(AttentionMask::structured(some, causal).dense(5, 5, like).is_dense());
    CHECK(AttentionMask::structured(all, causal).dense(5, 5, like).is_dense());
    auto single = AttentionMask::structured(all.narrow(1, 0, 1), causal);
    single.tokens = at::ones({2, 1}, at::kLong);
    const auto dense = single.dense(1, 1, like);
    CHECK(dense.is_dense());
    CHECK_FALSE(dense.bias.defined());
    CHECK(dense.tokens.is_same(single.tokens));
  }
}

TEST_CASE("fused attention drops weights at the given rate and scales the rest", "[property]") {
  const auto heads = random_heads(12, 16, 16, 16);
  const AttentionSettings settings{.scale = 0.0, .dropout = 0.5, .training = true};
  // Uniform weights of 1/16 over unit vectors show which weights were dropped.
  const auto unit = at::eye(16).expand({3, 2, 16, 16});
  const dragoman::RandomScope scope(3);
  const auto context =
      dragoman::fused_attention(heads.query, {heads.key, unit}, {}, settings).context;
  const auto dropped = context == 0;
  CHECK(at::logical_or(dropped, at::isclose(context, at::full({}, 2.0 / 16))).all().item<bool>());
  CHECK(dropped.to(at::kDouble).mean().item<double>() == test::Approx(0.5).margin(0.06));
}

TEST_CASE("gradients of fused attention under dropout match finite differences", "[gradient]") {
  const auto heads = random_heads(5, 6, 16, 16);
  const AttentionSettings settings{.scale = 0.25, .dropout = 0.4, .training = true};
  const auto objective = [&](const at::Tensor& query) {
    const dragoman::RandomScope same_dropout(7);
    return (dragoman::fused_attention(query, {heads.key, heads.value}, {}, settings).context *
            heads.outer)
        .to(at::kDouble)
        .sum()
        .item<double>();
  };
  const auto exact = compute(dragoman::fused_attention, heads, {}, settings).query;
  const at::NoGradGuard no_gradient;
  const auto direction = at::randn(heads.query.sizes());
  const double step = 1e-2;
  const double slope =
      (objective(heads.query + step * direction) - objective(heads.query - step * direction)) /
      (2 * step);
  CHECK(slope == test::Approx((exact * direction).sum().item<double>()).epsilon(1e-2));
}

TEST_CASE("the contents of masked keys and values change nothing, bit for bit", "[property]") {
  constexpr std::int64_t queries = 5, keys = 5;
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf})
    for (const std::int64_t width : {4, 16})
      for (const auto& allow : some_masks(queries, keys)) {
        if (!allow.defined()) continue;
        CAPTURE(c10::toString(type), width, allow);
        const auto heads = random_heads(queries, keys, width, width, type);
        for (std::int64_t t = 0; t < queries; ++t) {
          CAPTURE(t);
          check_contents_of_hidden_keys(heads, allow, 0, t + 1);
          check_contents_of_hidden_keys(heads, allow, t, 1);
        }
      }
}

TEST_CASE("queries that see no key yield zeros and never NaN, in half precision too",
          "[property]") {
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf})
    for (const std::int64_t width : {4, 16}) {
      CAPTURE(c10::toString(type), width);
      const auto heads = random_heads(3, 5, width, width, type);
      auto allow = at::ones({3, 1, 3, 5}, at::kBool);
      allow[0][0][1].fill_(false);
      allow[1].fill_(false);
      const auto result =
          compute(dragoman::scaled_dot_product_attention, heads, AttentionMask::from(allow, type),
                  {.scale = 0.5, .need_weights = NeedWeights::yes});
      for (const auto& x : {result.context, result.weights, result.query, result.key, result.value})
        CHECK(x.isfinite().all().item<bool>());
      for (const auto& x : {result.context, result.weights, result.query}) {
        CHECK(x.select(0, 0).select(1, 1).abs().max().item<double>() == 0.0);
        CHECK(x.select(0, 1).abs().max().item<double>() == 0.0);
      }
      CHECK(result.key.select(0, 1).abs().max().item<double>() == 0.0);
      CHECK(result.value.select(0, 1).abs().max().item<double>() == 0.0);
    }
}

TEST_CASE("queries that see no key yield zeros with LibTorch's kernels in half precision",
          "[property]") {
  for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
    CAPTURE(c10::toString(type));
    const auto heads = random_heads(3, 5, 16, 16, type);
    auto allow = at::ones({3, 1, 3, 5}, at::kBool);
    allow[0][0][1].fill_(false);
    allow[1].fill_(false);
    const auto context = dragoman::FusedTorchAttention()
                             .attend(heads.query, {heads.key, heads.value},
                                     AttentionMask::from(allow, type), {.scale = 0.5})
                             .context;
    CHECK(context.isfinite().all().item<bool>());
    CHECK(context.select(0, 0).select(1, 1).abs().max().item<double>() == 0.0);
    CHECK(context.select(0, 1).abs().max().item<double>() == 0.0);
    CHECK(context.select(0, 2).abs().min().item<double>() > 0.0);
  }
}

TEST_CASE("unscaled scores saturate softmax as d_k grows, scaled ones do not", "[property]") {
  at::manual_seed(3);
  const auto slope = [](std::int64_t d_k, double scale) {
    // Mean Frobenius norm of the softmax Jacobian diag(p) - p p^T over random queries.
    const auto q = at::randn({1, 1, 200, d_k}), k = at::randn({1, 1, 8, d_k});
    const auto p = dragoman::product_attention(q, {k, k}, {},
                                               {.scale = scale, .need_weights = NeedWeights::yes})
                       .weights[0][0];
    const auto jacobian = at::diag_embed(p) - p.unsqueeze(2) * p.unsqueeze(1);
    return jacobian.flatten(1).norm(2, 1).mean().item<double>();
  };
  CHECK(slope(512, 1.0) < 0.25 * slope(4, 1.0));
  CHECK(slope(512, 1.0 / std::sqrt(512.0)) == test::Approx(slope(4, 0.5)).epsilon(0.25));
}

}  // namespace full_test
