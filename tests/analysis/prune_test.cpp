#include "dragoman/analysis/prune.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/pruning_curve.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/model/flops.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/translate/module_models.h"

#include "support/golden_module.h"
#include "support/temporary_directory.h"

#include <set>

namespace prune_test {

using namespace dragoman;

namespace {

constexpr std::int64_t pruned_vocabulary = 17;

Transformer model_to_prune(std::int64_t encoder_heads = 4) {
  torch::manual_seed(3);
  auto options = test::golden_options();
  options.num_heads = encoder_heads;
  options.decoder_num_heads = 4;
  Transformer model(options, VocabularySizes{pruned_vocabulary, pruned_vocabulary});
  const torch::NoGradGuard no_gradient;
  for (auto& parameter : model->parameters()) parameter.uniform_(-0.5, 0.5);
  model->to(at::kDouble);
  model->eval();
  return model;
}

/// The same with the heads' columns of W_O set to zero.
Transformer model_without(std::span<const HeadPlace> heads, std::int64_t encoder_heads = 4) {
  const torch::NoGradGuard no_gradient;
  auto model = model_to_prune(encoder_heads);
  for (const auto& head : heads) {
    const auto width = model->options().with_heads_of(side_of(head.kind)).value_width();
    const auto place = attention_place(head.kind, head.layer) + ".output";
    auto columns =
        part<LinearImpl>(*model, place).weight().detach().narrow(1, head.head * width, width);
    columns.zero_();
  }
  return model;
}

const std::vector<HeadPlace> some_heads = {
    {AttentionPart::cross, 1, 3},   {AttentionPart::encoder, 0, 2}, {AttentionPart::encoder, 0, 0},
    {AttentionPart::decoder, 1, 1}, {AttentionPart::decoder, 0, 0}, {AttentionPart::decoder, 0, 1},
    {AttentionPart::decoder, 0, 2}, {AttentionPart::decoder, 0, 3}, {AttentionPart::cross, 0, 0},
    {AttentionPart::cross, 0, 1},   {AttentionPart::cross, 0, 2},   {AttentionPart::cross, 0, 3}};

/// The number of parameters.
std::int64_t held(const TransformerImpl& model) {
  std::int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

at::Tensor source_ids() { return torch::randint(4, pruned_vocabulary, {2, 6}); }

}  // namespace

TEST_CASE("a pruned model equals the whole one with these heads zeroed", "[property]") {
  const torch::NoGradGuard no_gradient;
  for (const std::int64_t encoder_heads : {4, 8}) {
    CAPTURE(encoder_heads);
    auto masked = model_without(some_heads, encoder_heads);
    const auto whole = model_to_prune(encoder_heads);
    auto pruned = prune_heads(*whole, some_heads);
    torch::manual_seed(1);
    const auto source = source_ids(), target = source_ids();
    const auto mask = at::arange(6).unsqueeze(0) < at::tensor({6, 4}).unsqueeze(1);
    const auto expected = masked->forward(source, mask, target);
    CHECK_THAT(pruned->forward(source, mask, target), test::close_to(expected, {1e-12, 1e-12}));
    CHECK_FALSE(
        at::allclose(expected, model_to_prune(encoder_heads)->forward(source, mask, target)));
    CHECK(parameter_count(pruned->options(), pruned->vocabulary()).total.total() == held(*pruned));
  }
}

TEST_CASE("a pruned model gives the same step by step as for a whole sentence", "[property]") {
  const torch::NoGradGuard no_gradient;
  auto pruned = prune_heads(*model_to_prune(), some_heads);
  torch::manual_seed(1);
  const auto source = source_ids(), target = source_ids();
  const auto mask = at::ones({2, 6}, at::kBool);
  const auto whole = pruned->forward(source, mask, target);
  auto state = pruned->start(pruned->encode(source, mask), mask);
  const auto rows = at::tensor({std::int64_t{1}, std::int64_t{0}});
  for (std::int64_t t = 0; t < 3; ++t)
    CHECK_THAT(pruned->step(target.select(1, t), state),
               test::close_to(whole.select(1, t), {1e-12, 1e-12}));
  state.select_rows(rows);
  CHECK(state.length == 3);
}

TEST_CASE("pruning removes weights and multiply-adds as the formulas predict", "[property]") {
  const auto whole = model_to_prune();
  const auto pruned = prune_heads(*whole, some_heads);
  const auto& options = whole->options();
  const auto head = 2 * options.d_model * (options.key_width() + options.value_width()) +
                    2 * options.key_width() + options.value_width();
  CHECK(held(*whole) - held(*pruned) == std::ssize(some_heads) * head);
  CHECK(parameter_count(pruned->options(), pruned->vocabulary()).total.total() == held(*pruned));
  CHECK(forward_flops(pruned->options(), 17, 5, 5) < forward_flops(options, 17, 5, 5));
}

TEST_CASE("each further quarter of the heads that is pruned lowers the cost by as much",
          "[property]") {
  const auto whole = model_to_prune();
  const auto heads = in_random_order(heads_of(whole->options()), 1);
  std::vector<double> costs;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const auto count = count_of_share(share, heads.size());
    const auto pruned = prune_heads(*whole, std::span(heads).first(count));
    costs.push_back(forward_flops(pruned->options(), pruned_vocabulary, 7, 7));
  }
  for (std::size_t i = 1; i < costs.size(); ++i) {
    CAPTURE(i, costs[i]);
    CHECK(costs[i] < costs[i - 1]);
    // Source and target are of equal length: all heads cost the same.
    CHECK(costs[i - 1] - costs[i] == test::Approx(costs[0] - costs[1]).epsilon(1e-12));
  }
  CHECK(costs.back() > 0.0);
}

TEST_CASE("a low-rank attention without heads has no projection along the sequence", "[unit]") {
  const torch::NoGradGuard no_gradient;
  torch::manual_seed(3);
  auto options = test::golden_options();
  options.encoder_attention.layers.front().common = {.kind = AttentionKind::low_rank,
                                                     .max_length = 20};
  const VocabularySizes vocabulary{pruned_vocabulary, pruned_vocabulary};
  const Transformer model(options, vocabulary);
  std::vector<HeadPlace> heads;
  for (const auto& head : heads_of(options))
    if (head.kind == AttentionPart::encoder && head.layer == 0) heads.push_back(head);
  auto pruned = prune_heads(*model, heads);
  CHECK(remaining_heads(pruned->options(), {AttentionPart::encoder, 0}).empty());
  CHECK(parameter_count(pruned->options(), vocabulary).total.total() == held(*pruned));
  const auto source = source_ids();
  const auto mask = at::ones_like(source, at::kBool);
  CHECK(pruned->forward(source, mask, source).isfinite().all().item<bool>());
}

TEST_CASE("a pruned model's heads keep their indices and their attention", "[property]") {
  const torch::NoGradGuard no_gradient;
  auto whole = model_to_prune();
  const std::vector<HeadPlace> first = {{AttentionPart::encoder, 0, 1}};
  auto pruned = prune_heads(*whole, first);
  torch::manual_seed(1);
  const auto source = source_ids();
  const auto mask = at::ones({2, 6}, at::kBool);
  AttentionRecord before, now;
  whole->encode(source, mask, &before);
  pruned->encode(source, mask, &now);
  REQUIRE(now.encoder_self[0].sizes() == before.encoder_self[0].sizes());
  CHECK(now.encoder_self[0].select(1, 1).abs().sum().item<double>() == 0.0);
  for (const std::int64_t kept : {0, 2, 3})
    CHECK_THAT(now.encoder_self[0].select(1, kept),
               test::close_to(before.encoder_self[0].select(1, kept), {1e-12, 1e-12}));
  const std::vector<HeadPlace> next = {{AttentionPart::encoder, 0, 2}};
  const auto twice = prune_heads(*pruned, next);
  CHECK(twice->options().encoder_attention.of_layer(0).pruned_heads ==
        std::vector<std::int64_t>{1, 2});
  CHECK_THROWS_WITH(prune_heads(*pruned, first),
                    test::contains("head encoder 1.2: is pruned already"));
}

TEST_CASE("the pruning curve has the BLEU of the run's validations", "[unit]") {
  const torch::NoGradGuard no_gradient;
  auto run = test::small_run();
  for (auto& parameter : run.model->parameters()) parameter.normal_();
  run.options.search.no_repeat_ngram = 1;  // else a random model repeats one letter
  const std::vector<std::string> lines = {"koru baten!", "vedo baten koru."};
  std::vector<std::string> hypotheses, references;
  std::vector<LinePair> pairs;
  for (const auto& translation : translations_by(run, lines)) {
    hypotheses.push_back(translation.text());
    references.push_back(translation.text() + "x");
    pairs.push_back({lines[pairs.size()], references.back()});
  }
  const auto order = heads_of(run.options.model);
  std::vector<double> scores;
  for (const auto& [option, tokenizer] :
       {std::pair{BleuTokens::mteval_13a, BleuTokenizer::mteval_13a},
        {BleuTokens::character, BleuTokenizer::character}}) {
    run.options.train.bleu_tokenizer = option;
    const auto curve = pruning_curve(run, order, pairs, {.fractions = {0.0}, .seeds = {}});
    scores.push_back(curve.by_importance.at(0).mean_bleu());
    CHECK(scores.back() ==
          test::Approx(corpus_bleu(hypotheses, {references}, {.tokenizer = tokenizer}).score));
  }
  CHECK(scores[1] > scores[0] + 1.0);
}

TEST_CASE("heads are free as far as BLEU falls by no more than the given loss", "[unit]") {
  PruningCurve curve;
  for (const auto& [fraction, bleu] :
       {std::pair{0.0, 30.0}, {0.25, 29.8}, {0.5, 31.0}, {0.75, 25.0}})
    curve.by_importance.push_back({.fraction = fraction, .bleu = {bleu}});
  CHECK(curve.free_share(0.1) == 0.5);
  CHECK(curve.free_share(4.9) == 0.5);
  CHECK(curve.free_share(5.0) == 0.75);
  curve.by_importance[2].bleu = {29.0};
  CHECK(curve.free_share(0.1) == 0.0);
  CHECK(curve.free_share(0.5) == 0.25);
}

TEST_CASE("heads that a model lacks are refused by name", "[unit]") {
  const std::vector<HeadPlace> absent = {{AttentionPart::cross, 7, 0}};
  CHECK_THROWS_WITH(prune_heads(*model_to_prune(), absent),
                    test::contains("head cross 8.1: this model has 2 such layers of 4 heads"));
}

TEST_CASE("a head's name gives its attention, layer and head counted from one", "[unit]") {
  CHECK(name_of(HeadPlace{AttentionPart::cross, 0, 2}) == "cross 1.3");
  CHECK(head_place("cross:1.3") == HeadPlace{AttentionPart::cross, 0, 2});
  CHECK(head_place("encoder 12.16") == HeadPlace{AttentionPart::encoder, 11, 15});
  for (const char* wrong :
       {"cross", "cross:1", "cross:0.1", "cross:1.x", "cross:1.2.3", ":1.1", "cross:.1"})
    CHECK_THROWS_AS(head_place(wrong), OptionsError);
}

TEST_CASE("a random order contains each head once and is determined by its seed", "[unit]") {
  const auto heads = heads_of(model_to_prune()->options());
  REQUIRE(heads.size() == 24);
  const auto one = in_random_order(heads, 1);
  CHECK((one == in_random_order(heads, 1)));
  CHECK((one != in_random_order(heads, 2)));
  CHECK((std::set(one.begin(), one.end()) == std::set(heads.begin(), heads.end())));
}

TEST_CASE("a share of the heads is rounded to the nearest integer", "[unit]") {
  CHECK(count_of_share(0.0, 48) == 0);
  CHECK(count_of_share(0.1, 48) == 5);
  CHECK(count_of_share(0.5, 3) == 2);
  CHECK(count_of_share(1.0, 48) == 48);
}

}  // namespace prune_test
