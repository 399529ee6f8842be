#include "dragoman/attention/per_head.h"

#include "attention_support.h"

#include <memory>
#include <vector>

namespace per_head_test {

using dragoman::AttentionKind;
using dragoman::AttentionMask;
using dragoman::AttentionSettings;
using dragoman::HeadAttention;
using dragoman::NeedWeights;
using dragoman::Past;

namespace {

constexpr std::int64_t num_heads = 4, len = 9;
constexpr test::Tolerance rounding{1e-12, 1e-12};

/// The kind of each head.
const std::vector<HeadAttention>& kinds() {
  static const std::vector<HeadAttention> all = {{.kind = AttentionKind::local, .radius = 1},
                                                 {.kind = AttentionKind::linear},
                                                 {.kind = AttentionKind::full},
                                                 {.kind = AttentionKind::local, .radius = 1}};
  return all;
}

const HeadAttention& kind_of(std::int64_t head) { return kinds()[static_cast<std::size_t>(head)]; }

/// Groups of heads that are neither in order nor next to each other.
dragoman::PerHeadAttention mixed() {
  return dragoman::PerHeadAttention({{{3, 0}, dragoman::make_attention(kind_of(0))},
                                     {{2}, dragoman::make_attention(kind_of(2))},
                                     {{1}, dragoman::make_attention(kind_of(1))}});
}

test::Heads heads_of_all() { return test::random_heads(3, len, len, 4, 5, at::kDouble, num_heads); }

test::Heads only(const test::Heads& heads, std::int64_t head) {
  const auto leaf = [head](const at::Tensor& x) {
    return x.detach().narrow(1, head, 1).requires_grad_();
  };
  return {leaf(heads.query), leaf(heads.key), leaf(heads.value), heads.outer.narrow(1, head, 1)};
}

at::Tensor weights_of(const dragoman::Attention& attention, const test::Heads& heads,
                      const AttentionMask& mask) {
  return attention
      .attend(heads.query, {heads.key, heads.value}, mask,
              {.scale = 0.5, .need_weights = NeedWeights::yes})
      .weights;
}

/// No mask, padding, causal, and both.
std::vector<AttentionMask> masks() {
  std::vector<AttentionMask> all;
  for (const bool causal : {false, true})
    for (const auto& keys : {at::Tensor(), test::real_tokens({len, 5, 1}, len)})
      all.push_back(AttentionMask::structured(keys, causal));
  return all;
}

at::Tensor step(const dragoman::Attention& attention, const test::Heads& heads, std::int64_t t,
                Past& past) {
  const at::NoGradGuard no_gradient;
  return attention.step(heads.query.narrow(2, t, 1),
                        {heads.key.narrow(2, t, 1), heads.value.narrow(2, t, 1)}, past,
                        {.scale = 0.5});
}

}  // namespace

TEST_CASE("each head has context, weights and gradients of its own kind of attention",
          "[property]") {
  const auto heads = heads_of_all();
  for (const auto& mask : masks()) {
    CAPTURE(mask.is_causal, mask.key_mask.defined());
    const auto all = test::attended(mixed(), heads, mask);
    const auto weights = weights_of(mixed(), heads, mask);
    for (std::int64_t head = 0; head < num_heads; ++head) {
      CAPTURE(head);
      const auto of_head = [head](const at::Tensor& x) { return x.narrow(1, head, 1); };
      const auto attention = dragoman::make_attention(kind_of(head));
      const auto alone = only(heads, head);
      test::check_same(
          {of_head(all.context), of_head(all.query), of_head(all.key), of_head(all.value)},
          test::attended(*attention, alone, mask), rounding);
      CHECK_THAT(of_head(weights), test::close_to(weights_of(*attention, alone, mask), rounding));
    }
  }
}

TEST_CASE("a layer's heads are grouped by their kinds", "[property]") {
  const auto heads = heads_of_all();
  const auto made = dragoman::make_attention({.common = {}, .heads = kinds()}, num_heads);
  REQUIRE(std::dynamic_pointer_cast<const dragoman::PerHeadAttention>(made) != nullptr);
  for (const auto& mask : masks())
    test::check_same(test::attended(*made, heads, mask), test::attended(mixed(), heads, mask),
                     rounding);
}

TEST_CASE("heads of other kinds than full attention differ from it, those of that kind do not",
          "[property]") {
  const auto heads = heads_of_all();
  const auto context = test::attended(mixed(), heads, {}).context;
  const auto full = test::attended(*dragoman::make_attention(HeadAttention{}), heads, {}).context;
  for (std::int64_t head = 0; head < num_heads; ++head) {
    CAPTURE(head);
    const auto difference = (context - full).select(1, head).abs().max().item<double>();
    if (kind_of(head).kind == AttentionKind::full)
      CHECK(difference < 1e-12);
    else
      CHECK(difference > 0.1);
  }
}

TEST_CASE("each head decodes step by step with its own kind of attention", "[property]") {
  const auto heads = heads_of_all();
  const auto whole =
      test::attended(mixed(), heads, AttentionMask::structured({}, /*causal=*/true)).context;
  Past past;
  std::vector<Past> pasts(num_heads);
  for (std::int64_t t = 0; t < len; ++t) {
    CAPTURE(t);
    const auto context = step(mixed(), heads, t, past);
    CHECK_THAT(context, test::close_to(whole.narrow(2, t, 1), rounding));
    for (std::int64_t head = 0; head < num_heads; ++head) {
      CAPTURE(head);
      const auto alone = step(*dragoman::make_attention(kind_of(head)), only(heads, head), t,
                              pasts[static_cast<std::size_t>(head)]);
      CHECK_THAT(context.narrow(1, head, 1), test::close_to(alone, rounding));
    }
  }
}

TEST_CASE("the past of every head follows its rows", "[property]") {
  const auto heads = heads_of_all();
  Past past;
  std::vector<Past> pasts(num_heads);
  for (std::int64_t t = 0; t < len; ++t) {
    CAPTURE(t);
    const auto context = step(mixed(), heads, t, past);
    for (std::int64_t head = 0; head < num_heads; ++head) {
      CAPTURE(head);
      auto& own = pasts[static_cast<std::size_t>(head)];
      CHECK_THAT(
          context.narrow(1, head, 1),
          test::close_to(step(*dragoman::make_attention(kind_of(head)), only(heads, head), t, own),
                         rounding));
      own.select_rows(at::tensor({2, 0, 0}));
    }
    past.select_rows(at::tensor({2, 0, 0}));
  }
}

}  // namespace per_head_test
