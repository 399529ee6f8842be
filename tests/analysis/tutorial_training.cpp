#include "analysis/teacher_forced.h"
#include "analysis/tutorial_checks.h"
#include "dragoman/data/buckets.h"
#include "dragoman/loss/loss.h"
#include "dragoman/optimizer/schedule.h"
#include "support/padding.h"

#include <numeric>

namespace test {

namespace tutorial_training {

namespace {

using dragoman::Example;

void check_schedule(TutorialCase& example) {
  dragoman::TrainOptions options;
  options.warmup_steps = example.input("warmup");
  const auto rate = [&](std::int64_t step) {
    return dragoman::learning_rate(options, example.input("d_model"), step);
  };
  std::vector<double> rates;
  for (const auto& step : example.correct("steps")) rates.push_back(rate(step));
  const auto lr = at::tensor(rates, at::kDouble);
  example.check("lr", lr, {.relative = 1e-12, .absolute = 0.0});
  example.check("peak", rate(options.warmup_steps));
  example.check("relative", lr / rate(options.warmup_steps));
}

/// The gradient of the loss at equal logits is softmax - q.
void check_smoothing(TutorialCase& example) {
  const std::int64_t classes = example.input("K");
  const auto target = at::tensor({example.input("target").get<std::int64_t>()});
  auto logits = at::zeros({1, classes}, at::kDouble).requires_grad_();
  dragoman::label_smoothed_cross_entropy(logits, target, {.eps = example.input("eps")})
      .sum.backward();
  const auto q = 1.0 / static_cast<double>(classes) - logits.grad()[0];
  example.check("q", q, {.relative = 1e-12, .absolute = 1e-12});
  example.check("sum", q.sum());
}

void check_teacher_forcing(TutorialCase& example) {
  const auto forced = teacher_forced(example.input("target").get<std::vector<std::string>>());
  example.check_equal("decoder_input", forced.input);
  example.check_equal("expected", forced.output);
}

/// Sources of these lengths; one target token each, so that only the source side has padding.
std::vector<Example> sources_of(const std::vector<std::size_t>& lengths) {
  std::vector<Example> examples;
  for (const auto length : lengths)
    examples.push_back({.source_ids = std::vector<std::int32_t>(length, 4), .target_ids = {3}});
  return examples;
}

std::int64_t padding_of(const std::vector<Example>& examples) {
  dragoman::BatchIndices all(examples.size());
  std::iota(all.begin(), all.end(), 0U);
  return padding_positions(examples, all);
}

void check_padding(TutorialCase& example) {
  std::vector<std::int64_t> padding;
  std::vector<Example> together;
  for (const auto& lengths : example.input("lengths")) {
    const auto batch = sources_of(lengths.get<std::vector<std::size_t>>());
    padding.push_back(padding_of(batch));
    together.insert(together.end(), batch.begin(), batch.end());
  }
  std::vector<const Example*> all;
  for (const auto& one : together) all.push_back(&one);
  example.check_equal("padding", padding);
  example.check_equal("padding_if_one_batch", padding_of(together));
  example.check_equal("tokens", dragoman::make_batch(all, {}, {}).source_tokens);
}

/// "25000 tokens / 50 tokens per sentence"
void check_full_batches(TutorialCase& example) {
  const auto tokens = example.stated_size(""), length = example.stated_size("/ ");
  const std::size_t full = 3;
  const auto sentences = full * example.correct("sentences").get<std::size_t>();
  const std::vector<Example> examples(sentences,
                                      sources_of({static_cast<std::size_t>(length)}).front());
  const auto plan = dragoman::plan_batches(examples, {.tokens = tokens}, 1);
  REQUIRE(plan.size() == full);
  for (const auto& batch : plan) example.check_equal("sentences", batch.size());
}

}  // namespace

}  // namespace tutorial_training

TutorialChecks training_checks() {
  using namespace tutorial_training;
  return {{"000.noam", check_schedule},
          {"000.label_smoothing", check_smoothing},
          {"000.teacher_forcing", check_teacher_forcing},
          {"000.tokens_per_batch", check_full_batches},
          {"000.length_batches", check_padding}};
}

}  // namespace test
