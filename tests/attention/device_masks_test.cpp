#include "dragoman/attention/full.h"
#include "dragoman/attention/fused_torch.h"
#include "dragoman/attention/local.h"
#include "dragoman/attention/longformer.h"
#include "dragoman/attention/sparse.h"
#include "dragoman/attention/sparse_transformer.h"
#include "dragoman/attention/strided.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/random_stream.h"

#include "attention_support.h"
#include "support/devices.h"

#include <string>
#include <utility>
#include <vector>

namespace device_masks_test {

namespace {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::HeadAttention;
using dragoman::Pattern;

/// Everything that moves to a device.
test::Heads moved(const test::Heads& heads, const c10::Device& device) {
  const auto leaf = [&](const at::Tensor& x) { return x.detach().to(device).requires_grad_(); };
  return {leaf(heads.query), leaf(heads.key), leaf(heads.value), heads.outer.to(device)};
}

test::Attended on_host(const test::Attended& result) {
  return {result.context.cpu(), result.query.cpu(), result.key.cpu(), result.value.cpu()};
}

/// One of each class, with sizes that have an effect on a dozen positions.
std::vector<std::shared_ptr<const Pattern>> all_patterns() {
  using namespace dragoman;
  return {std::make_shared<LocalPattern>(2),         std::make_shared<LocalPattern>(2, 3),
          std::make_shared<StridedPattern>(3),       std::make_shared<StridedRelativePattern>(3),
          std::make_shared<SparseStridedPattern>(3), std::make_shared<SparseFixedPattern>(4, 2),
          std::make_shared<LongformerPattern>(2, 3)};
}

std::vector<HeadAttention> kinds_with_globals() {
  auto kinds = test::all_kinds();
  kinds.push_back(
      {.kind = AttentionKind::global_local, .radius = 2, .global_positions = {0, -1, 5}});
  return kinds;
}

bool allows_causal(const HeadAttention& options) { return options.kind != AttentionKind::low_rank; }

}  // namespace

TEST_CASE("masks made on a device are those made on the CPU", "[property]") {
  for (const auto& device : test::other_devices())
    for (const auto& pattern : all_patterns())
      for (const std::int64_t len : {1, 5, 16, 37})
        for (const bool causal : {false, true})
          for (const bool padded : {false, true}) {
            const auto keys = padded ? test::real_tokens({len, (len + 1) / 2}, len) : at::Tensor();
            CAPTURE(len, causal, padded, device.str());
            const auto host = AttentionMask::structured(keys, causal);
            const auto there = AttentionMask::structured(padded ? keys.to(device) : keys, causal);
            for (const auto& subset : pattern->subsets(len, causal))
              CHECK(test::same_bits(subset->allowed(len, there, device).cpu(),
                                    subset->allowed(len, host, c10::kCPU)));
          }
}

TEST_CASE("all pairs of a pattern with global positions are the same on each device",
          "[property]") {
  const dragoman::SparseAttention attention(std::make_shared<dragoman::LocalPattern>(2),
                                            {.positions = {0, -1, 5}, .tokens = {}});
  for (const auto& device : test::other_devices())
    for (const std::int64_t len : {1, 5, 16}) {
      const auto keys = test::real_tokens({len, (len + 1) / 2}, len);
      CHECK(test::same_bits(
          attention.allowed(len, AttentionMask::structured(keys.to(device), false), device).cpu(),
          attention.allowed(len, AttentionMask::structured(keys, false), c10::kCPU)));
    }
}

TEST_CASE("every kind of attention gives the same on each device, results and gradients",
          "[property]") {
  constexpr std::int64_t len = 13;
  for (const auto& device : test::other_devices())
    for (const auto& options : kinds_with_globals())
      for (const bool causal : {false, true}) {
        if (causal && !allows_causal(options)) continue;
        CAPTURE(test::name_of(options), causal, device.str());
        const auto attention = dragoman::make_attention(options);
        for (auto& weight : attention->weights())
          weight.value.set_data(weight.value.to(at::kDouble));
        const auto heads = test::random_heads(2, len, len);
        const auto keys = test::real_tokens({len, 6}, len);
        const auto expected =
            test::attended(*attention, heads, AttentionMask::structured(keys, causal));
        for (auto& weight : attention->weights()) weight.value.set_data(weight.value.to(device));
        const auto actual = test::attended(*attention, moved(heads, device),
                                           AttentionMask::structured(keys.to(device), causal));
        test::check_same(on_host(actual), expected, {1e-9, 1e-11});
      }
}

TEST_CASE("full attention is the same on each device for few and many queries and keys",
          "[property]") {
  const dragoman::FullAttention attention;
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {4, 9}, {16, 130}, {40, 40}, {40, 130}, {17, 5}};
  for (const auto& device : test::other_devices())
    for (const auto& [queries, keys] : sizes)
      for (const bool training : {false, true})
        for (const bool causal : {false, true}) {
          if (causal && queries != keys) continue;
          CAPTURE(queries, keys, training, causal, device.str());
          const dragoman::AttentionSettings settings{.scale = 0.3, .training = training};
          const auto heads = test::random_heads(2, queries, keys, 8, 16, at::kFloat);
          const auto mask = [&](const c10::Device& where) {
            if (causal) return AttentionMask::causal(keys, heads.query.options().device(where));
            return AttentionMask::of_keys(test::real_tokens({keys, keys / 2}, keys).to(where),
                                          at::kFloat);
          };
          test::check_same(
              on_host(test::attended(attention, moved(heads, device), mask(device), settings)),
              test::attended(attention, heads, mask(c10::kCPU), settings), {1e-4, 1e-5});
        }
}

TEST_CASE("short sentences that are computed together do not see each other", "[property]") {
  constexpr std::int64_t batch = 12;
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {1, 1}, {7, 5}, {5, 7}, {16, 16}, {21, 21}, {30, 32}, {33, 9}};
  const dragoman::FusedTorchAttention attention;
  for (const auto& device : test::other_devices())
    for (const auto& [queries, keys] : sizes)
      for (const std::string form : {"keys", "unmasked", "causal", "causal by structure"}) {
        if (form.starts_with("causal") && queries != keys) continue;
        CAPTURE(queries, keys, form, device.str());
        const auto heads = test::random_heads(batch, queries, keys, 8, 16, at::kFloat);
        const auto mask = [&](const c10::Device& where) -> AttentionMask {
          if (form == "unmasked") return {};
          if (form == "causal")
            return AttentionMask::causal(keys, heads.query.options().device(where));
          if (form != "keys") return AttentionMask::structured({}, /*causal=*/true);
          auto real = test::real_tokens({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 0}, keys);
          return AttentionMask::of_keys(real.to(where), at::kFloat);
        };
        const auto expected = test::attended(attention, heads, mask(c10::kCPU));
        const auto there = moved(heads, device);
        const auto for_all_layers = mask(device);
        for (int layer = 0; layer < 2; ++layer)
          test::check_same(on_host(test::attended(attention, there, for_all_layers)), expected,
                           {1e-4, 1e-4});
      }
}

TEST_CASE("a step of decoding gives the same on each device", "[property]") {
  for (const auto& device : test::other_devices())
    for (const auto& options : test::all_kinds()) {
      if (!allows_causal(options)) continue;
      CAPTURE(test::name_of(options), device.str());
      const auto attention = dragoman::make_attention(options);
      dragoman::Past host, there;
      at::manual_seed(6);
      const auto rows = at::tensor({2, 0, 1});
      for (std::int64_t t = 0; t < 9; ++t) {
        const auto draw = [](std::int64_t width) {
          return at::randn({3, 2, 1, width}, at::kDouble);
        };
        const auto query = draw(4), key = draw(4), value = draw(5);
        const auto expected = attention->step(query, {key, value}, host, {.scale = 0.5});
        const auto actual = attention->step(query.to(device), {key.to(device), value.to(device)},
                                            there, {.scale = 0.5});
        CHECK_THAT(actual.cpu(), test::close_to(expected, {1e-9, 1e-11}));
        host.select_rows(rows);
        there.select_rows(rows.to(device));
      }
    }
}

TEST_CASE("the factors of dropout are the same on each device", "[property]") {
  for (const auto& device : test::other_devices())
    for (const auto type : {at::kFloat, at::kDouble}) {
      const auto factors = [&](const c10::Device& where) {
        const dragoman::RandomScope scope(77);
        return dragoman::dropout_factors(at::zeros({300, 41}, type).to(where), 0.3).cpu();
      };
      const auto expected = factors(c10::kCPU);
      CHECK(test::same_bits(factors(device), expected));
      CHECK(expected.eq(0).to(at::kDouble).mean().item<double>() == test::Approx(0.3).margin(0.02));
      const dragoman::RandomScope scope(77);
      CHECK(test::same_bits(dragoman::dropout(at::ones({300, 41}, type), 0.3, true), expected));
    }
}

TEST_CASE("tiled attention drops the same weights on each device", "[property]") {
  const auto attention = dragoman::make_attention({.kind = AttentionKind::tiled, .block = 4});
  const dragoman::AttentionSettings settings{.scale = 0.5, .dropout = 0.4, .training = true};
  for (const auto& device : test::other_devices()) {
    const auto heads = test::random_heads(2, 9, 9);
    const auto run = [&](const test::Heads& given) {
      const dragoman::RandomScope scope(5);
      return on_host(test::attended(*attention, given, {}, settings));
    };
    test::check_same(run(moved(heads, device)), run(heads), {1e-9, 1e-11});
  }
}

}  // namespace device_masks_test
