#include "dragoman/model/flops.h"

#include "dragoman/attention/keys_per_query.h"

#include "attention/attention_support.h"
#include "support/catch.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

namespace flops_test {

using namespace dragoman;

namespace {

constexpr std::int64_t length = 500, vocabulary = 1000;

HeadAttention head_of(AttentionKind kind) { return {.kind = kind, .rank = 16}; }

StackAttention stack_of(const HeadAttention& head) {
  return {.layers = {LayerAttention{.common = head, .heads = {}}}};
}

/// The multiply-adds of one attention in all layers, head by head.
double plain_attention(const ModelOptions& options, const StackAttention& stack, StackSide side,
                       std::int64_t layers, double query_len, double key_len) {
  const auto d_k = static_cast<double>(options.key_width());
  const auto d_v = static_cast<double>(options.value_width());
  const auto width = d_k + d_v;
  const auto d_model = static_cast<double>(options.d_model);
  double sum = 0.0;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (const auto& head : stack.of_layer(layer).of_heads(options.num_heads)) {
      const double projections = (query_len + key_len) * d_model * width;
      sum += projections + query_len * keys_per_query(head, d_k, d_v, side)(key_len) * width;
    }
  return sum;
}

/// Forward FLOPs added up layer by layer.
double plain_flops(const ModelOptions& options, double source, double target) {
  const auto d = static_cast<double>(options.d_model), ff = static_cast<double>(options.d_ff);
  const auto kernel = static_cast<double>(options.conv_width);
  double sum = target * d * static_cast<double>(vocabulary);
  for (std::int64_t layer = 0; layer < options.encoder_layers; ++layer) {
    sum += source * 2.0 * d * ff;
    if (options.has_convolution()) sum += source * kernel * d * d;
    // Two directions of half the width: 4 (inputs + features) features each.
    if (options.encoder_layer == EncoderLayerKind::lstm)
      sum += source * 2.0 * 4.0 * (d / 2.0) * (d + d / 2.0);
  }
  for (std::int64_t layer = 0; layer < options.decoder_layers; ++layer) {
    sum += target * 2.0 * d * ff;
    if (options.decoder_layer == DecoderLayerKind::lstm) sum += target * 4.0 * d * (d + d);
    if (options.decoder_layer == DecoderLayerKind::ssru) sum += target * 2.0 * d * d;
    // One matrix of d_model features inside, and two gates.
    if (options.decoder_layer == DecoderLayerKind::average_attention) sum += target * 3.0 * d * d;
  }
  if (options.has_self_attention(StackSide::encoder))
    sum += plain_attention(options, options.encoder_attention, StackSide::encoder,
                           options.encoder_layers, source, source);
  if (options.has_self_attention(StackSide::decoder))
    sum += plain_attention(options, options.decoder_attention, StackSide::decoder,
                           options.decoder_layers, target, target);
  sum += plain_attention(options, options.cross_attention, StackSide::cross, options.decoder_layers,
                         target, source);
  return 2.0 * sum;
}

/// A model of each kind of attention, on each side, and of each kind of layer; and one whose layers
/// and heads differ, some of them pruned.
std::vector<ModelOptions> models_to_count() {
  ModelOptions small;
  small.d_model = 24, small.d_ff = 40, small.num_heads = 4, small.d_k = 5;
  small.encoder_layers = 3, small.decoder_layers = 2;
  std::vector<ModelOptions> models;
  for (const auto& kind : test::all_kinds()) {
    models.push_back(small);
    models.back().encoder_attention = stack_of(kind);
    models.push_back(small);
    models.back().decoder_attention = models.back().cross_attention = stack_of(kind);
  }
  for (const auto encoder : {EncoderLayerKind::attention, EncoderLayerKind::lstm,
                             EncoderLayerKind::conv, EncoderLayerKind::conv_attention})
    for (const auto decoder : {DecoderLayerKind::attention, DecoderLayerKind::lstm,
                               DecoderLayerKind::ssru, DecoderLayerKind::average_attention}) {
      models.push_back(small);
      models.back().encoder_layer = encoder;
      models.back().decoder_layer = decoder;
    }
  const auto kinds = test::all_kinds();
  models.push_back(small);
  models.back().encoder_attention.layers = {
      LayerAttention{.common = {}, .heads = {kinds[0], kinds[3], kinds[11], kinds[3]}},
      LayerAttention{.common = kinds[9], .heads = {}, .pruned_heads = {1, 2}},
      LayerAttention{.common = kinds[3], .heads = {}, .pruned_heads = {0, 1, 2, 3}}};
  return models;
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TEST_CASE("FLOPs are the sum over layers and heads, whatever their kind", "[unit]") {
  for (const auto& options : models_to_count()) {
    CAPTURE(nlohmann::json(options).dump());
    const ForwardFlops flops(options, vocabulary);
    for (const std::int64_t source : {1, 2, 7, 30, 500})
      for (const std::int64_t target : {1, 9, 40, 500}) {
        CAPTURE(source, target);
        const double expected =
            plain_flops(options, static_cast<double>(source), static_cast<double>(target));
        CHECK(flops(source, target) == test::Approx(expected).epsilon(1e-12));
        CHECK(forward_flops(options, vocabulary, source, target) == flops(source, target));
      }
  }
}

TEST_CASE("sparse, linear and low-rank encoders cost less per forward pass, exact kinds the same",
          "[unit]") {
  const auto flops = [](AttentionKind kind) {
    ModelOptions options;
    options.encoder_attention = stack_of(head_of(kind));
    return forward_flops(options, vocabulary, length, 10);
  };
  const double full = flops(AttentionKind::full);
  for (const auto kind : {AttentionKind::tiled, AttentionKind::fused_torch})
    CHECK(flops(kind) == full);
  for (const auto kind : {AttentionKind::local, AttentionKind::dilated, AttentionKind::strided,
                          AttentionKind::longformer})
    CHECK(flops(kind) < full);
  // 6 layers of 8 heads, d_k = d_v = 64: of the scores and sums what is left for 64 keys and a
  // normaliser, and for 32 keys.
  for (const auto& [kind, keys] :
       {std::pair{AttentionKind::linear, 64.5}, {AttentionKind::low_rank, 32.0}})
    CHECK(full - flops(kind) == test::Approx(2.0 * 6 * 8 * 128 * length * (length - keys)));
}

TEST_CASE("the FLOPs of 10,000 pairs are counted in a millisecond", "[.benchmark]") {
  auto options = ModelOptions();
  options.encoder_attention = stack_of(head_of(AttentionKind::longformer));
  const ForwardFlops flops(options, vocabulary);
  double fastest = std::numeric_limits<double>::max(), sum = 0.0;
  for (int tries = 0; tries < 20; ++tries) {
    const double start = cpu_seconds();
    for (std::int64_t pair = 0; pair < 10'000; ++pair) sum += flops(1 + pair % 90, 1 + pair % 70);
    fastest = std::min(fastest, cpu_seconds() - start);
  }
  CHECK(sum > 0.0);
  WARN("10,000 pairs: " << 1e3 * fastest << " ms");
}

}  // namespace flops_test
