#include "dragoman/model/transformer.h"

#include "dragoman/core/error.h"

#include "support/golden_module.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <thread>

namespace transformer_test {

using dragoman::ModelOptions;
using dragoman::NormPosition;
using dragoman::Position;
using dragoman::ShareEmbeddings;
using dragoman::Transformer;

namespace {

constexpr std::int64_t vocabulary = 23;

ModelOptions small(std::int64_t d_model = 32) {
  auto options = test::golden_options();
  options.d_model = d_model;
  options.d_ff = 48;
  return options;
}

Transformer model_of(const ModelOptions& options, torch::ScalarType type = torch::kDouble) {
  torch::manual_seed(5);
  Transformer model(options, dragoman::VocabularySizes{vocabulary, vocabulary});
  model->to(type);
  model->eval();
  return model;
}

torch::Tensor some_ids(std::int64_t batch, std::int64_t len) {
  torch::manual_seed(static_cast<std::uint64_t>(len));
  return torch::randint(4, vocabulary, {batch, len});
}

torch::Tensor all_of(const torch::Tensor& ids) { return torch::ones_like(ids, torch::kBool); }

/// Three sentences of 7, 4 and 5 tokens.
torch::Tensor some_mask() {
  return torch::arange(7).unsqueeze(0) < torch::tensor({7, 4, 5}).unsqueeze(1);
}

/// Both norms, both ways of computing attention.
template <typename Check>
void for_models(const Check& check) {
  for (const auto norm : {NormPosition::post, NormPosition::pre})
    for (const auto type : {torch::kDouble, torch::kFloat}) {
      auto options = small();
      options.norm = norm;
      CAPTURE(nlohmann::json(norm).dump(), c10::toString(type));
      auto model = model_of(options, type);
      check(model, test::tolerance_of(type));
    }
}

}  // namespace

TEST_CASE("later target tokens change no earlier logits", "[property]") {
  for_models([](Transformer& model, const test::Tolerance& tolerance) {
    const auto source = some_ids(3, 7), target = some_ids(3, 6);
    auto other = target.clone();
    other.narrow(1, 4, 2).fill_(9);
    const auto before = model->forward(source, some_mask(), target);
    const auto after = model->forward(source, some_mask(), other);
    CHECK_THAT(after.narrow(1, 0, 4),
               test::close_to(before.narrow(1, 0, 4), {0.0, std::min(tolerance.absolute, 1e-6)}));
    CHECK_FALSE(at::allclose(after, before));
  });
}

TEST_CASE("additional padding and other sentences of the batch change nothing", "[property]") {
  for_models([](Transformer& model, const test::Tolerance& tolerance) {
    const auto source = some_ids(3, 7), target = some_ids(3, 6);
    const auto batch = model->forward(source, some_mask(), target);
    const auto alone = source.narrow(0, 1, 1).narrow(1, 0, 4);
    CHECK_THAT(model->forward(alone, all_of(alone), target.narrow(0, 1, 1)),
               test::close_to(batch.narrow(0, 1, 1), tolerance));
    auto garbage = source.clone();
    garbage.masked_fill_(some_mask().logical_not(), 17);
    CHECK(test::same_bits(model->forward(garbage, some_mask(), target), batch));
  });
}

TEST_CASE("decoding token by token gives the logits of the whole sentence, with beams",
          "[property]") {
  for_models([](Transformer& model, const test::Tolerance& tolerance) {
    constexpr std::int64_t beam = 2, len = 20;
    const auto source = some_ids(3, 7), target = some_ids(3 * beam, len);
    const auto memory = model->encode(source, some_mask());
    const auto rows = torch::arange(3).repeat_interleave(beam);
    const auto whole = model->generator()->forward(
        model->decode(target, memory.index_select(0, rows), some_mask().index_select(0, rows)));
    auto state = model->start(memory, some_mask());
    for (std::int64_t t = 0; t < len; ++t) {
      CAPTURE(t);
      CHECK_THAT(model->step(target.select(1, t), state),
                 test::close_to(whole.select(1, t), tolerance));
    }
    CHECK(state.length == len);
  });
}

TEST_CASE("decoding continues with the rows and sentences it was told to keep", "[property]") {
  for_models([](Transformer& model, const test::Tolerance& tolerance) {
    const auto source = some_ids(3, 7), target = some_ids(6, 4);
    auto state = model->start(model->encode(source, some_mask()), some_mask());
    for (std::int64_t t = 0; t < 3; ++t) model->step(target.select(1, t), state);
    // Sentence 1 is done; the beams of sentence 0 are swapped, both of sentence 2 continue its
    // second.
    const auto sentences = torch::tensor({0, 2}), rows = torch::tensor({1, 0, 5, 5});
    state.select_sentences(sentences);
    state.select_rows(rows);
    const auto last = some_ids(4, 1);
    const auto prefix = torch::cat({target.narrow(1, 0, 3).index_select(0, rows), last}, 1);
    const auto pairs = torch::tensor({0, 0, 2, 2});
    const auto expected =
        model->forward(source.index_select(0, pairs), some_mask().index_select(0, pairs), prefix);
    CHECK_THAT(model->step(last.squeeze(1), state),
               test::close_to(expected.select(1, 3), tolerance));
  });
}

TEST_CASE("the alignment of a step is the last layer's attention averaged over heads",
          "[property]") {
  auto model = model_of(small());
  const auto source = some_ids(3, 7), target = some_ids(3, 2);
  const auto memory = model->encode(source, some_mask());
  dragoman::AttentionRecord record;
  model->decode(target, memory, some_mask(), &record);
  auto state = model->start(memory, some_mask());
  torch::Tensor alignment;
  for (std::int64_t t = 0; t < 2; ++t) model->advance(target.select(1, t), state, &alignment);
  CHECK_THAT(alignment, test::close_to(record.cross.back().mean(1).select(1, 1)));
}

TEST_CASE("several threads may decode with one model", "[property]") {
  auto model = model_of(small(), torch::kFloat);
  const auto decode = [&model](std::int64_t len) {
    const torch::NoGradGuard no_gradient;
    const auto source = torch::arange(4, 4 + len).unsqueeze(0);
    auto state = model->start(model->encode(source, all_of(source)), all_of(source));
    torch::Tensor logits;
    for (std::int64_t t = 0; t < 300; ++t) logits = model->step(torch::tensor({5}), state);
    return logits;
  };
  const auto expected = std::vector{decode(3), decode(9)};
  std::vector<torch::Tensor> found(2);
  std::thread other([&] { found[0] = decode(3); });
  found[1] = decode(9);
  other.join();
  for (std::size_t i = 0; i < 2; ++i) CHECK(test::same_bits(found[i], expected[i]));
}

TEST_CASE("only positional encodings tell the encoder the order", "[property]") {
  const auto source = some_ids(2, 6), order = torch::tensor({4, 2, 5, 0, 1, 3});
  const auto differs = [&](Position position) {
    auto options = small();
    options.position = position;
    auto model = model_of(options);
    const auto moved = source.index_select(1, order);
    return !at::allclose(model->encode(moved, all_of(moved)),
                         model->encode(source, all_of(source)).index_select(1, order), 1e-9, 1e-11);
  };
  CHECK_FALSE(differs(Position::none));
  CHECK(differs(Position::sinusoidal));
  CHECK(differs(Position::learned));
}

TEST_CASE("each dropout site acts in training, independently, and never in evaluation",
          "[property]") {
  const auto source = some_ids(2, 6), target = some_ids(2, 5);
  const auto output = [&](double ModelOptions::* place, bool training) {
    auto options = small();
    if (place != nullptr) options.*place = 0.5;
    auto model = model_of(options, torch::kFloat);
    model->train(training);
    return model->forward(source, all_of(source), target);
  };
  const auto plain = output(nullptr, true);
  for (const auto place : {&ModelOptions::embedding_dropout, &ModelOptions::residual_dropout,
                           &ModelOptions::activation_dropout, &ModelOptions::attention_dropout}) {
    CHECK(test::same_bits(output(place, false), plain));
    CHECK_FALSE(at::allclose(output(place, true), plain));
  }
}

TEST_CASE("bfloat16 autocast stays close, with finite gradients", "[property]") {
  auto model = model_of(small(), torch::kFloat);
  const auto source = some_ids(3, 7), target = some_ids(3, 6);
  const auto exact = model->forward(source, some_mask(), target);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const auto rough = model->forward(source, some_mask(), target);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
  CHECK_THAT(rough.to(torch::kFloat), test::close_to(exact, {0.0, 0.1}));
  CHECK_FALSE(at::equal(rough.to(torch::kFloat), exact));
  rough.to(torch::kFloat).sum().backward();
  for (const auto& weight : model->parameters()) CHECK(weight.grad().isfinite().all().item<bool>());
}

}  // namespace transformer_test
