#include "dragoman/attention/tiled.h"
#include "dragoman/tensor/memory_watch.h"

#include "attention_support.h"
#include "complexity/product_counter.h"

#include <algorithm>

namespace attention_cost_test {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::HeadAttention;
using dragoman::MemoryWatch;

namespace {

/// The kinds whose cost grows linearly with the length.
std::vector<HeadAttention> linear_kinds() {
  return {{.kind = AttentionKind::local, .radius = 8},
          {.kind = AttentionKind::dilated, .radius = 8, .dilation = 3},
          {.kind = AttentionKind::global_local, .radius = 8, .global_positions = {0, 5}},
          {.kind = AttentionKind::longformer, .radius = 8, .dilation = 4, .global_positions = {0}},
          {.kind = AttentionKind::linear}};
}

AttentionMask some_mask(std::int64_t len, bool causal) {
  return AttentionMask::structured((at::arange(len) < len - 3).unsqueeze(0), causal);
}

struct Cost {
  std::int64_t peak = 0, largest = 0;  ///< bytes
};

/// Forward and backward pass of one head of 16 features.
Cost cost_of(const HeadAttention& options, std::int64_t len, bool causal) {
  const auto attention = dragoman::make_attention(options);
  const auto heads = test::random_heads(1, len, len, 16, 16, at::kFloat, 1);
  const auto mask = some_mask(len, causal);
  const MemoryWatch watch;
  test::attended(*attention, heads, mask);
  return {watch.peak_bytes(), watch.largest_bytes()};
}

/// Peak memory of a forward pass over 100,000 positions.
std::int64_t long_peak(const HeadAttention& options, std::int64_t d_k) {
  const at::NoGradGuard no_gradient;
  const auto attention = dragoman::make_attention(options);
  const auto draw = [d_k] { return at::randn({1, 1, 100000, d_k}); };
  const MemoryWatch watch;
  const auto query = draw(), key = draw(), value = draw();
  const auto context = attention
                           ->attend(query, {key, value},
                                    AttentionMask::structured({}, /*causal=*/true), {.scale = 0.25})
                           .context;
  CHECK(context.isfinite().all().item<bool>());
  return watch.peak_bytes();
}

}  // namespace

TEST_CASE("linear-cost attention allocates no matrix of all pairs, forward or backward",
          "[property]") {
  constexpr std::int64_t len = 2048, pairs = len * len;
  CHECK(cost_of({}, len, /*causal=*/true).largest >= 4 * pairs);  // the watch detects those of full
                                                                  // attention
  auto kinds = linear_kinds();
  kinds.push_back({.kind = AttentionKind::tiled});
  for (const auto& options : kinds)
    for (const auto causal : {false, true}) {
      CAPTURE(test::name_of(options), causal);
      CHECK(cost_of(options, len, causal).largest < pairs / 4);
    }
}

TEST_CASE("twice the length takes less than 2.5 times the memory", "[property][slow]") {
  for (const auto& options : linear_kinds()) {
    CAPTURE(test::name_of(options));
    CHECK(static_cast<double>(cost_of(options, 8192, /*causal=*/true).peak) <
          2.5 * static_cast<double>(cost_of(options, 4096, /*causal=*/true).peak));
  }
  CHECK(static_cast<double>(cost_of({.kind = AttentionKind::tiled}, 2048, /*causal=*/true).peak) <
        2.5 * static_cast<double>(
                  cost_of({.kind = AttentionKind::tiled}, 1024, /*causal=*/true).peak));
}

TEST_CASE("twice the length takes less than 2.5 times the multiply-adds", "[property]") {
  const at::NoGradGuard no_gradient;
  const auto computed = [](const HeadAttention& options, std::int64_t len) {
    const auto attention = dragoman::make_attention(options);
    const auto x = at::randn({1, 1, len, 16});
    const test::ProductCounter counter;
    attention->attend(x, {x, x}, some_mask(len, /*causal=*/true), {.scale = 0.25});
    return static_cast<double>(counter.multiply_adds());
  };
  CHECK(computed({}, 2048) > 3.9 * computed({}, 1024));  // the counter sees full attention's
  for (const auto& options : linear_kinds()) {
    CAPTURE(test::name_of(options));
    const double once = computed(options, 4096);
    CHECK(once > 0.0);
    CHECK(computed(options, 8192) < 2.5 * once);
  }
}

TEST_CASE("100,000 positions of one head stay far below a gigabyte", "[property]") {
  for (const auto& options : linear_kinds())
    for (const std::int64_t d_k : {16, 64}) {
      CAPTURE(test::name_of(options), d_k);
      CHECK(long_peak(options, d_k) < 1'000'000'000);
    }
}

TEST_CASE("tiled attention over 20,000 positions needs a few megabytes beyond its tensors",
          "[property]") {
  const at::NoGradGuard no_gradient;
  const auto x = at::randn({1, 1, 20000, 16});
  const MemoryWatch watch;
  dragoman::tiled_attention(x, {x, x}, AttentionMask::structured({}, /*causal=*/true),
                            {.scale = 0.25}, 512);
  CHECK(watch.peak_bytes() < 20'000'000);  // all pairs: 1.6 GB
}

TEST_CASE("full attention refuses a matrix above its limit and names the alternatives", "[unit]") {
  const at::NoGradGuard no_gradient;
  const auto one = at::zeros({1, 1, 1, 16});
  const auto x = one.expand({1, 1, 100000, 16});  // 64 bytes
  const MemoryWatch watch;
  CHECK_THROWS_WITH(
      dragoman::make_attention({})->attend(x, {x, x}, {}, {}),
      "attention: 1 x 1 matrices of 100000 x 100000 weights take 38146 MiB, the limit is "
      "8192 MiB; choose kind tiled (the same function), shorter sentences, for "
      "model.encoder_attention and model.decoder_attention also local or linear, or raise "
      "limit_mb");
  CHECK(watch.peak_bytes() == 0);
  CHECK_NOTHROW(
      dragoman::make_attention({.limit_mb = 1})
          ->attend(x.narrow(2, 0, 512), {x.narrow(2, 0, 512), x.narrow(2, 0, 512)}, {}, {}));
  CHECK_THROWS(
      dragoman::make_attention({.limit_mb = 1})
          ->attend(x.narrow(2, 0, 513), {x.narrow(2, 0, 512), x.narrow(2, 0, 512)}, {}, {}));
  const auto half = x.narrow(2, 0, 512).to(at::kBFloat16);  // its weights are float32
  CHECK_THROWS(dragoman::make_attention({.limit_mb = 1})
                   ->attend(x.narrow(2, 0, 513).to(at::kBFloat16), {half, half}, {}, {}));
  // LibTorch's kernel for CPUs has no dropout.
  const auto fused = dragoman::make_attention({.kind = dragoman::AttentionKind::fused_torch});
  CHECK_THROWS_WITH(fused->attend(x, {x, x}, {}, {.dropout = 0.1, .training = true}),
                    test::contains("raise limit_mb"));
}

}  // namespace attention_cost_test
