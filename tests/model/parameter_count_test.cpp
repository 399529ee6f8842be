#include "dragoman/model/parameter_count.h"

#include "dragoman/model/flops.h"
#include "dragoman/model/transformer.h"

#include "support/golden_module.h"

namespace parameter_count_test {

using dragoman::ModelOptions;
using dragoman::parameter_count;
using dragoman::ShareEmbeddings;

namespace {

void check_counts(const nlohmann::json& run) {
  ModelOptions options;
  options.d_model = run.at("d_model");
  options.num_heads = run.at("heads");
  options.d_ff = run.at("d_ff");
  options.encoder_layers = run.at("enc_layers");
  options.decoder_layers = run.at("dec_layers");
  const dragoman::VocabularySizes vocabulary{run.at("vocab"), run.at("vocab")};
  const auto total = [&](ShareEmbeddings sharing) {
    options.share_embeddings = sharing;
    return parameter_count(options, vocabulary).total.total();
  };
  const auto count = parameter_count(options, vocabulary);
  CHECK(count.encoder_layer.weights == run.at("encoder_layer_no_bias"));
  CHECK(count.encoder_layer.total() == run.at("encoder_layer"));
  CHECK(count.decoder_layer.weights == run.at("decoder_layer_no_bias"));
  CHECK(count.decoder_layer.total() == run.at("decoder_layer"));
  CHECK((count.encoder + count.decoder).weights == run.at("body_no_bias"));
  CHECK((count.encoder + count.decoder).total() == run.at("body"));
  CHECK(count.embeddings.total() == run.at("one_vocabulary_matrix"));
  CHECK(total(ShareEmbeddings::all) == run.at("total_tied"));
  CHECK(total(ShareEmbeddings::target_output) == run.at("total_two_matrices"));
  CHECK(total(ShareEmbeddings::none) == run.at("total_three_matrices"));
  const auto post = total(ShareEmbeddings::all);
  options.norm = dragoman::NormPosition::pre;
  CHECK(total(ShareEmbeddings::all) - post == run.at("final_norms_pre_ln"));
}

}  // namespace

TEST_CASE("parameter counts are the golden ones for every kind of sharing", "[golden]") {
  for (const auto& name : test::golden_names("parameter_counts"))
    for (const auto& run : test::golden_list(test::golden_case(name), "runs")) {
      CAPTURE(name, run.dump());
      check_counts(run);
    }
}

TEST_CASE("the formulas match the parameters of actual models", "[property]") {
  for (const auto sharing :
       {ShareEmbeddings::all, ShareEmbeddings::target_output, ShareEmbeddings::none})
    for (const auto norm : {dragoman::NormPosition::post, dragoman::NormPosition::pre})
      for (const bool other : {false, true}) {
        auto options = test::golden_options();
        options.share_embeddings = sharing;
        options.norm = norm;
        options.output_bias = other;
        options.attention_bias = !other;
        if (other) options.position = dragoman::Position::learned, options.d_v = 5;
        const std::int64_t source = sharing == ShareEmbeddings::all ? 11 : 13;
        const dragoman::Transformer model(options, dragoman::VocabularySizes{source, 11});
        std::int64_t held = 0;
        for (const auto& weight : model->parameters()) held += weight.numel();
        CHECK(parameter_count(options, {source, 11}).total.total() == held);
      }
}

TEST_CASE("parts that other systems' models have are counted", "[property]") {
  auto options = test::golden_options();
  options.share_embeddings = ShareEmbeddings::source_target;
  options.embedding_norm = true;
  options.start_vector = dragoman::StartVector::learned;
  options.decoder_d_ff = 3 * options.d_ff;
  options.num_heads = 2, options.decoder_num_heads = 4;
  options.cross_attention.layers.front().pruned_heads = {1, 3};
  const dragoman::Transformer model(options, dragoman::VocabularySizes{11, 11});
  std::int64_t held = 0;
  for (const auto& weight : model->parameters()) held += weight.numel();
  CHECK(parameter_count(options, {11, 11}).total.total() == held);
  const auto wide = dragoman::forward_flops(options, 11, 3, 5);
  options.decoder_d_ff = 0;
  const auto narrow = dragoman::forward_flops(options, 11, 3, 5);
  CHECK(wide - narrow == test::Approx(2.0 * 5 * static_cast<double>(options.decoder_layers) * 2.0 *
                                      static_cast<double>(options.d_model * 2 * options.d_ff)));
}

TEST_CASE("forward FLOPs are those of the formula written out for equal widths", "[unit]") {
  ModelOptions options;
  options.d_model = 128, options.d_ff = 256, options.num_heads = 4;
  options.encoder_layers = options.decoder_layers = 4;
  const double s = 13, t = 17, d = 128, ff = 256;
  const double encoder = s * 2 * (4 * d * d + 2 * d * ff) + 4 * s * s * d;
  const double decoder =
      t * 2 * (6 * d * d + 2 * d * ff) + s * 2 * 2 * d * d + 4 * t * t * d + 4 * s * t * d;
  CHECK(dragoman::forward_flops(options, 8000, 13, 17) ==
        test::Approx(4 * (encoder + decoder) + t * 2 * d * 8000));
}

}  // namespace parameter_count_test
