#include "dragoman/model/parameter_count.h"

#include "attention/attention_support.h"
#include "model/small_models.h"

namespace attention_kinds_test {

using dragoman::HeadAttention;
using test::NamedModel;

namespace {

/// A small model for each kind in both stacks (the encoder alone where decoding is impossible), and
/// one whose layers and heads differ.
std::vector<NamedModel> models_of_kinds() {
  std::vector<NamedModel> models;
  for (const auto& kind : test::all_kinds()) {
    auto options = test::golden_options();
    options.encoder_attention.layers = {{.common = kind, .heads = {}}};
    if (kind.kind != dragoman::AttentionKind::low_rank)
      options.decoder_attention.layers = options.encoder_attention.layers;
    models.push_back({test::name_of(kind), options});
  }
  using dragoman::AttentionKind;
  auto options = test::golden_options();
  options.num_heads = 4;
  const std::vector<HeadAttention> heads = {{.kind = AttentionKind::local, .radius = 1},
                                            {.kind = AttentionKind::linear},
                                            {.kind = AttentionKind::full},
                                            {.kind = AttentionKind::local, .radius = 1}};
  options.encoder_attention.layers = {{.common = {}, .heads = heads},
                                      {.common = heads[1], .heads = {}}};
  options.decoder_attention.layers = {{.common = heads[0], .heads = {}},
                                      {.common = {}, .heads = heads}};
  models.push_back({"by layer and head", options});
  return models;
}

}  // namespace

TEST_CASE("with every attention, decoding token by token equals the whole sentence", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    test::check_steps(options);
  }
}

TEST_CASE("with every attention, decoding continues with the rows that beams keep", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    auto model = test::new_model(options);
    const auto source = test::model_ids(9), target = test::model_ids(6);
    const auto memory = model->encode(source, test::model_mask()).detach();
    auto state = model->start(memory, test::model_mask());
    for (std::int64_t t = 0; t < 5; ++t) model->step(target.select(1, t), state);
    state.select_rows(torch::tensor({0, 0, 1, 1, 2, 2}));
    const auto step = model->step(target.select(1, 5).repeat_interleave(2), state);
    const auto whole = model->forward(source, test::model_mask(), target).select(1, 5);
    CHECK_THAT(step, test::close_to(whole.repeat_interleave(2, 0)));
  }
}

TEST_CASE("with every attention, later target tokens, padding and neighbours change nothing",
          "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    test::check_independence(options);
  }
}

TEST_CASE("with every attention, a training step lowers the loss, with finite gradients everywhere",
          "[property]") {
  for (auto [name, options] : models_of_kinds()) {
    CAPTURE(name);
    options.d_model = 64;  // head width equal to the vector width of the fast kernels
    test::check_learning(options);
  }
}

TEST_CASE("with every attention, the parameter count is correct", "[property]") {
  for (const auto& [name, options] : models_of_kinds()) {
    CAPTURE(name);
    const auto count =
        dragoman::parameter_count(options, {test::model_vocabulary, test::model_vocabulary});
    CHECK(count.total.total() == test::numbers_held(test::new_model(options)));
  }
}

}  // namespace attention_kinds_test
