#include "dragoman/attention/tiled.h"

#include "attention_support.h"
#include "dragoman/attention/full.h"
#include "dragoman/attention/fused_torch.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/random_stream.h"

#include "support/golden.h"

#include <algorithm>
#include <set>

namespace tiled_test {

using dragoman::AttentionMask;
using dragoman::TiledAttention;

namespace {

/// Masks of every form for `queries` and `keys` of three sentences; the last has queries that see
/// nothing.
std::vector<AttentionMask> some_masks(std::int64_t queries, std::int64_t keys,
                                      at::ScalarType type) {
  const auto real = test::real_tokens({keys, (keys + 1) / 2, 0}, keys);
  auto scattered = at::rand({3, 1, queries, keys}) < 0.6;
  scattered.narrow(0, 1, 1).narrow(2, 0, 1).fill_(false);
  return {{},
          AttentionMask::structured({}, /*causal=*/true),
          AttentionMask::structured(real, /*causal=*/false),
          AttentionMask::structured(real, /*causal=*/true),
          AttentionMask::of_keys(real, type),
          AttentionMask::from(scattered, type)};
}

/// Blocks that divide `keys`, do not, and are as long or longer.
std::set<std::int64_t> blocks_for(std::int64_t keys) {
  return {1, 2, 3, 4, std::max<std::int64_t>(1, keys - 1), keys, keys + 1};
}

/// Whether each query of a golden case sees a key.
bool all_see(const test::GoldenCase& golden) {
  const auto allow = golden.optional_input("allow");
  return !allow.defined() || allow.any(-1).all().item<bool>();
}

}  // namespace

TEST_CASE("tiled attention has the golden results, row statistics and gradients", "[golden]") {
  for (const auto& name : test::golden_names("sdpa_"))
    for (const auto& place : test::golden_places())
      for (const auto block : blocks_for(test::GoldenCase(name, place).input("K").size(2))) {
        CAPTURE(name, place, block);
        const test::GoldenCase golden(name, place);
        const auto query = golden.variable("Q"), key = golden.variable("K"),
                   value = golden.variable("V");
        const auto result = dragoman::tiled_attention(
            query, {key, value}, AttentionMask::from(golden.optional_input("allow"), golden.type()),
            {.scale = golden.json().at("params").at("scale")}, block);
        CHECK_THAT(result.context, test::close_to(golden.output("out")));
        // Where a query sees nothing there is none; cases with such queries do not give it.
        if (golden.has("outputs", "logsumexp") || all_see(golden))
          CHECK_THAT(result.logsumexp, test::close_to(golden.output("logsumexp")));
        result.context.backward(golden.grad_output());
        CHECK_THAT(query.grad(), test::close_to(golden.at("grads", "Q")));
        CHECK_THAT(key.grad(), test::close_to(golden.at("grads", "K")));
        CHECK_THAT(value.grad(), test::close_to(golden.at("grads", "V")));
      }
}

TEST_CASE("tiled and LibTorch's fused attention equal full attention for any mask and block",
          "[property]") {
  const dragoman::FullAttention full;
  for (const auto type : {at::kDouble, at::kFloat}) {
    const auto tolerance =
        type == at::kDouble ? test::Tolerance{1e-10, 1e-12} : test::Tolerance{1e-5, 1e-5};
    for (const auto& [queries, keys] : {std::pair{1, 1}, {7, 7}, {5, 12}, {12, 5}})
      for (const auto& mask : some_masks(queries, keys, type)) {
        const auto heads = test::random_heads(3, queries, keys, 4, 5, type);
        const auto expected = test::attended(full, heads, mask);
        for (const std::int64_t block : {1, 2, 3, 5, 12, 64}) {
          CAPTURE(c10::toString(type), queries, keys, block);
          test::check_same(test::attended(TiledAttention(block), heads, mask), expected, tolerance);
        }
        CAPTURE(c10::toString(type), queries, keys);
        test::check_same(test::attended(dragoman::FusedTorchAttention(), heads, mask), expected,
                         tolerance);
      }
  }
}

TEST_CASE("a query that sees no key has a logsumexp of minus infinity and yields zeros",
          "[property]") {
  const auto heads = test::random_heads(1, 2, 3);
  const auto allow = at::tensor({0, 0, 0, 0, 1, 0}).view({1, 1, 2, 3}).to(at::kBool);
  const auto result = dragoman::tiled_attention(heads.query, {heads.key, heads.value},
                                                AttentionMask::from(allow, at::kDouble), {}, 2);
  CHECK((result.logsumexp.select(2, 0) == -std::numeric_limits<double>::infinity())
            .all()
            .item<bool>());
  CHECK(result.context.select(2, 0).abs().max().item<double>() == 0.0);
  CHECK(result.context.select(2, 1).abs().min().item<double>() > 0.0);
}

TEST_CASE("scores of thousands leave tiled attention finite and exact", "[property]") {
  auto heads = test::random_heads(1, 6, 6);
  const dragoman::AttentionSettings settings{.scale = 1e4};
  test::check_same(test::attended(TiledAttention(2), heads, {}, settings),
                   test::attended(dragoman::FullAttention(), heads, {}, settings), {1e-9, 1e-9});
}

TEST_CASE("tiled attention computes its softmax in float32 under bf16 autocast", "[property]") {
  // bf16 holds these scores exactly, but not their exponentials.
  at::manual_seed(1);
  const auto query = at::randint(-2, 3, {1, 2, 40, 4}).to(at::kFloat),
             key = at::randint(-2, 3, {1, 2, 40, 4}).to(at::kFloat);
  const auto logsumexp = [&] {
    return dragoman::tiled_attention(query, {key, key}, {}, {.scale = 0.5}, 16).logsumexp;
  };
  const auto expected = logsumexp();
  const dragoman::Autocast autocast(at::kCPU, dragoman::Precision::bf16);
  CHECK_THAT(logsumexp(), test::close_to(expected, {1e-6, 1e-6}));
}

TEST_CASE("the backward pass of tiled attention has the bf16 scores of its forward pass",
          "[property]") {
  // bf16 holds every fourth of these scores of hundreds at best; weights of other scores than those
  // in `logsumexp` would not sum to 1.
  auto heads = test::random_heads(1, 40, 40, 64, 3, at::kFloat);
  for (auto* x : {&heads.query, &heads.key}) *x = (x->detach() * 5.0).requires_grad_();
  const auto context = [&] {
    const dragoman::Autocast autocast(at::kCPU, dragoman::Precision::bf16);
    return TiledAttention(16)
        .attend(heads.query, {heads.key, heads.value}, {}, {.scale = 0.5})
        .context;
  }();
  context.backward(at::ones_like(context));
  // The weights of a query, summed over the keys, times a gradient of 1.
  CHECK_THAT(heads.value.grad().sum(2), test::close_to(at::full({1, 2, 3}, 40.0), {5e-3, 0.0}));
}

TEST_CASE("gradients of tiled attention match finite differences for any mask and block",
          "[gradient]") {
  const auto heads = test::random_heads(3, 5, 6);
  const auto masks = some_masks(5, 6, at::kDouble);
  const auto q = at::randn_like(heads.query), k = at::randn_like(heads.key),
             v = at::randn_like(heads.value);
  for (std::size_t i = 0; i < masks.size(); ++i)
    for (const std::int64_t block : {1, 2, 4, 6, 8})
      for (const double dropout : {0.0, 0.4}) {
        CAPTURE(i, block, dropout);
        const dragoman::AttentionSettings settings{
            .scale = 0.5, .dropout = dropout, .training = true};
        const auto gradients = [&] {
          const dragoman::RandomScope same_dropout(3);
          return test::attended(TiledAttention(block), heads, masks[i], settings);
        }();
        const at::NoGradGuard no_gradient;
        const auto objective = [&](double step) {
          const dragoman::RandomScope same_dropout(3);
          const auto context =
              dragoman::tiled_attention(heads.query + step * q,
                                        {heads.key + step * k, heads.value + step * v}, masks[i],
                                        settings, block)
                  .context;
          return (context * heads.outer).sum().item<double>();
        };
        const double step = 1e-5;
        const double slope = (objective(step) - objective(-step)) / (2 * step);
        const double exact =
            ((gradients.query * q).sum() + (gradients.key * k).sum() + (gradients.value * v).sum())
                .item<double>();
        CHECK(slope == test::Approx(exact).epsilon(1e-6).margin(1e-8));
      }
}

}  // namespace tiled_test
