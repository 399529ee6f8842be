#include "dragoman/analysis/model_parts.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/alignment_heads.h"
#include "dragoman/analysis/attention_erasure.h"
#include "dragoman/analysis/contrast.h"
#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/head_importance.h"
#include "dragoman/analysis/head_statistics.h"
#include "dragoman/analysis/prune.h"
#include "dragoman/analysis/word_relations.h"

#include <torch/nn.h>

#include <cmath>

namespace model_parts_test {

using namespace dragoman;

namespace {

/// Recurrent on both sides: only cross attention remains.
LoadedRun recurrent_run() {
  return test::small_run(EncoderLayerKind::lstm, DecoderLayerKind::lstm);
}

const std::vector<LinePair> three_pairs = {
    {"baten koru", "lamis"}, {"vedo plonar tegal", "ruzo fenik"}, {"baten koru vedo", "oralu"}};

}  // namespace

TEST_CASE("missing and available kinds of attention are reported", "[unit]") {
  CHECK(lacking_attention(ModelOptions{}).empty());
  ModelOptions options;
  options.encoder_layer = EncoderLayerKind::conv;
  CHECK(lacking_attention(options) ==
        "model.encoder_layer: the layers are \"conv\", without self-attention; this model has the "
        "attention decoder, cross");
  CHECK_THROWS_WITH(expect_attention(options, AttentionPart::encoder),
                    test::contains("decoder, cross; choose one of these"));
  CHECK_NOTHROW(expect_attention(options, AttentionPart::decoder));
  options.encoder_layer = EncoderLayerKind::conv_attention;
  options.decoder_layer = DecoderLayerKind::lstm;
  CHECK_THROWS_WITH(expect_attention(options, AttentionPart::decoder),
                    test::contains("model.decoder_layer: the layers are \"lstm\""));
  CHECK(attention_layers(options, AttentionPart::encoder) == 6);
  CHECK(attention_layers(options, AttentionPart::decoder) == 0);
  CHECK(attention_sublayers(options).size() == 12);
}

TEST_CASE("heads of a model without self-attention are reported, ranked and pruned too",
          "[property]") {
  const auto run = recurrent_run();
  const auto statistics = head_statistics(run, three_pairs);
  REQUIRE(statistics.size() == 2);
  for (const auto& layer : statistics) {
    CHECK(layer.kind == AttentionPart::cross);
    for (const auto& head : layer.heads) CHECK(head.relative_entropy > 0.5);
  }
  std::vector<Example> examples;
  for (const auto& pair : three_pairs) examples.push_back(encode_pair(run.vocabulary, pair));
  const auto& special = run.vocabulary.source.special();
  const auto report = head_importance(run.model, examples, special, special, Ablation::each_head);
  REQUIRE(report.heads.size() == 4);
  for (const auto& head : report.heads) CHECK(head.importance > 0.0);
  const std::vector<HeadPlace> first = {{AttentionPart::cross, 0, 1}};
  CHECK(heads_of(run.model->options()).size() == 4);
  CHECK(heads_of(prune_heads(*run.model, first)->options()).size() == 3);
  const std::vector<HeadPlace> absent = {{AttentionPart::encoder, 0, 1}};
  CHECK_THROWS_WITH(prune_heads(*run.model, absent),
                    test::contains("this model has the attention cross"));
}

TEST_CASE("cross attention aligns and is tested with recurrent layers", "[unit]") {
  const auto run = recurrent_run();
  CHECK(alignments_of_heads(run, three_pairs).size() == 8);
  CHECK(test_erasure(run, three_pairs, 1).sentences == 3);
  const std::vector<Contrast> contrasts = {{"baten koru", "lamis", "vedo", "koru", {"baten"}}};
  CHECK(test_contrasts(run, contrasts).front().layers.empty());
  CHECK_THROWS_WITH(
      relation_shares(run, three_pairs, std::vector<std::vector<WordPair>>{{{1, 0, "x"}}}),
      test::contains("model.encoder_layer: the layers are \"lstm\""));
}

}  // namespace model_parts_test
