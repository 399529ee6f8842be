#include "dragoman/analysis/worked_example.h"
#include "dragoman/analysis/worked_support.h"

namespace dragoman {

namespace {

using worked::matrix;
using worked::scalar;
using worked::vector;

WorkedExample schedule_example() {
  const auto steps = vector({0, 2000, 4000, 6000, 8000, 10000});
  const double warmup = 4000, d_model = 512;
  const auto rate = at::min(steps.pow(-0.5), steps * std::pow(warmup, -1.5)) / std::sqrt(d_model);
  const auto peak = rate.max();
  return {.name = "schedule",
          .title = "The learning rate of the paper: linear warm-up, inverse square root decay",
          .document = std::string(worked::guide) + ", Optimization",
          .steps = {{.name = "step", .formula = "", .value = steps},
                    {.name = "rate",
                     .formula = "512^-0.5 min(step^-0.5, step 4000^-1.5)",
                     .value = rate},
                    {.name = "relative",
                     .formula = "rate / rate at step 4000",
                     .value = rate / peak,
                     .printed = vector({0, 0.7, 1.0, 0.8, 0.7, 0.6}),
                     .digits = 1},
                    {.name = "peak", .formula = "at the end of the warm-up", .value = peak}},
          .remark = "Halfway through a linear warm-up the rate is at 0.5, not at 0.7."};
}

WorkedExample smoothing_example() {
  const auto one_hot = vector({0, 0, 1, 0, 0});
  const auto q = 0.9 * one_hot + 0.1 / 5;
  return {.name = "label-smoothing",
          .title = "Label smoothing: eps of the probability mass is spread over all classes",
          .document = std::string(worked::guide) + ", Label Smoothing",
          .steps = {{.name = "q",
                     .formula = "(1 - eps) onehot + eps / K, eps = 0.1, K = 5",
                     .value = q,
                     .printed = vector({0.02, 0.02, 0.92, 0.02, 0.02}),
                     .digits = 2},
                    {.name = "sum", .formula = "of q", .value = q.sum()}},
          .remark = "The target keeps 1 - eps + eps / K."};
}

WorkedExample batches_example() {
  const auto lengths = matrix({{10, 11, 9}, {25, 27, 24}});
  const auto longest = lengths.amax(-1, /*keepdim=*/true);
  return {.name = "batches",
          .title = "Batches of similar length: padding is wasted work",
          .document = std::string(worked::guide) + ", Batch Processing",
          .steps = {{.name = "lengths", .formula = "two batches, tokens", .value = lengths},
                    {.name = "padding",
                     .formula = "longest - length, summed",
                     .value = (longest - lengths).sum(-1)},
                    {.name = "padding in one batch",
                     .formula = "",
                     .value = (lengths.max() - lengths).sum()},
                    {.name = "tokens", .formula = "", .value = lengths.sum()},
                    {.name = "sentences",
                     .formula = "25000 tokens / 50",
                     .value = scalar(25000.0 / 50.0),
                     .printed = scalar(500)}},
          .remark = ""};
}

}  // namespace

std::vector<WorkedExample> training_examples() {
  return {smoothing_example(), schedule_example(), batches_example()};
}

}  // namespace dragoman
