#include "dragoman/optimizer/adam.h"
#include "dragoman/optimizer/flat_parameters.h"
#include "dragoman/optimizer/schedule.h"
#include "dragoman/optimizer/weight_average.h"

#include "support/close.h"
#include "support/golden.h"

#include <torch/nn.h>

#include <cmath>

namespace dragoman::optimizer_test {

namespace {

/// The tensors of a golden case as one vector, in the order of their names.
at::Tensor flat_of(const nlohmann::json& tensors, at::ScalarType type = at::kDouble) {
  std::vector<at::Tensor> all;
  for (const auto& [name, stored] : tensors.items())
    all.push_back(test::golden_tensor(stored).flatten());
  return at::cat(all).to(type);
}

/// A few roundings of numbers between -3 and 3.
test::Tolerance rounding_of(at::ScalarType type) {
  return type == at::kDouble ? test::tolerance_of(type) : test::Tolerance{1e-6, 1e-6};
}

TrainOptions adam_options(const nlohmann::json& params) {
  TrainOptions options;
  options.beta1 = params.at("beta1");
  options.beta2 = params.at("beta2");
  options.adam_eps = params.at("eps");
  return options;
}

void check_steps_of_adam(const test::GoldenCase& golden, at::ScalarType type) {
  const auto tolerance = rounding_of(type);
  const auto& inputs = golden.json().at("inputs");
  for (const auto& run : test::golden_list(golden.json(), "runs")) {
    CAPTURE(run.at("schedule"));
    const auto values = flat_of(inputs.at("params"), type);
    Adam adam(values, adam_options(golden.params()));
    WorkerPool pool(1);
    const auto& steps = test::golden_list(run, "steps");
    REQUIRE(steps.size() == inputs.at("grads").size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& step = steps.at(i);
      auto gradient = flat_of(inputs.at("grads").at(i), type);
      adam.step(gradient, 1.0, step.at("lr"), pool);
      CAPTURE(i);
      CHECK(adam.steps() == step.at("step"));
      CHECK_THAT(values, test::close_to(flat_of(step.at("params")), tolerance));
      CHECK_THAT(adam.first_moment(), test::close_to(flat_of(step.at("m")), tolerance));
      CHECK_THAT(adam.second_moment(), test::close_to(flat_of(step.at("v")), tolerance));
    }
  }
}

}  // namespace

TEST_CASE("steps of Adam give the golden parameters and moments", "[golden]") {
  for (const auto& name : test::golden_names("adam"))
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      check_steps_of_adam({name, type}, type);
    }
}

TEST_CASE("a step of Adam shared by workers is bit-identical to one by a single worker",
          "[property]") {
  const auto size =
      GENERATE(std::int64_t{1}, std::int64_t{70}, std::int64_t{1000}, std::int64_t{4099});
  const auto workers = GENERATE(std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{8});
  CAPTURE(size, workers);
  torch::manual_seed(5);
  const auto values = torch::randn({size}), shared = values.clone();
  WorkerPool one(1), pool(workers);
  Adam alone(values, TrainOptions{}), together(shared, TrainOptions{});
  for (int i = 0; i < 3; ++i) {
    auto gradient = torch::randn({size}), same = gradient.clone();
    alone.step(gradient, 0.25, 0.01, one);
    together.step(same, 0.25, 0.01, pool);
    CHECK(norm_of(gradient, one) == norm_of(same, pool));
  }
  CHECK(test::same_bits(shared, values));
  CHECK(test::same_bits(together.first_moment(), alone.first_moment()));
  CHECK(test::same_bits(together.second_moment(), alone.second_moment()));
  CHECK(together.steps() == 3);
}

TEST_CASE("weight decay is decoupled from the gradient", "[unit]") {
  const auto values = at::full({3}, 2.0, at::kDouble);
  TrainOptions options;
  options.weight_decay = 0.1;
  auto gradient = at::zeros({3}, at::kDouble);
  WorkerPool pool(1);
  Adam(values, options).step(gradient, 1.0, 0.5, pool);
  CHECK_THAT(values, test::close_to(at::full({3}, 2.0 * (1.0 - 0.5 * 0.1), at::kDouble)));
}

TEST_CASE("gradients are clipped by their global norm", "[golden]") {
  for (const auto& name : test::golden_names("clip_grad_norm"))
    for (const auto type : test::golden_types()) {
      CAPTURE(name, c10::toString(type));
      const test::GoldenCase golden(name, type);
      const auto& outputs = golden.json().at("outputs");
      auto gradient = flat_of(golden.json().at("inputs").at("grads"), type);
      WorkerPool pool(2);
      const double norm = norm_of(gradient, pool);
      gradient *= clip_factor(norm, golden.params().at("max_norm"));
      const double precision = type == at::kDouble ? 1e-9 : 1e-7;
      CHECK(norm == test::Approx(outputs.at("norm").get<double>()).epsilon(precision));
      CHECK_THAT(gradient, test::close_to(flat_of(outputs.at("grads")), rounding_of(type)));
    }
}

TEST_CASE("a norm below the limit, or a limit of 0, leaves the gradient unchanged", "[unit]") {
  CHECK(clip_factor(0.5, 1.0) == 1.0);
  CHECK(clip_factor(0.5, 0.5) == 1.0);
  CHECK(clip_factor(0.5, 0.0) == 1.0);
}

TEST_CASE("a step of Adam multiplies the gradient by its scale first", "[unit]") {
  torch::manual_seed(6);
  const auto values = torch::randn({100}, at::kDouble), other = values.clone();
  auto gradient = torch::randn({100}, at::kDouble);
  auto scaled = gradient / 8.0;
  WorkerPool pool(1);
  Adam(values, {}).step(gradient, 0.125, 0.01, pool);
  Adam(other, {}).step(scaled, 1.0, 0.01, pool);
  CHECK(test::same_bits(values, other));
}

TEST_CASE("a step on a device divides a float64 gradient in float64", "[unit]") {
  torch::manual_seed(7);
  const auto values = torch::randn({100}, at::kDouble), other = values.clone();
  auto gradient = torch::randn({100}, at::kDouble);
  auto divided = gradient / 0.1;
  const auto fine = torch::zeros({}, at::kFloat);
  Adam(values, {}).step_unless(fine, gradient, torch::full({}, 0.1, at::kDouble), 0.01);
  Adam(other, {}).step_unless(fine, divided, torch::ones({}, at::kDouble), 0.01);
  CHECK(test::same_bits(values, other));
}

TEST_CASE("the norm of a long float32 vector is exact to seven digits", "[unit]") {
  WorkerPool pool(2);
  const auto flat = at::full({std::int64_t{1} << 22}, 0.1F);
  CHECK(norm_of(flat, pool) == test::Approx(0.1F * 2048.0).epsilon(1e-7));
}

TEST_CASE("a norm with a value that is not finite is not finite", "[unit]") {
  WorkerPool pool(2);
  auto flat = at::ones({100000});
  flat[70000] = std::nan("");
  CHECK_FALSE(std::isfinite(norm_of(flat, pool)));
}

TEST_CASE("the moving average forgets its first values soon, then decays as it should", "[unit]") {
  CHECK(average_decay(0.9999, 1) == test::Approx(2.0 / 11.0));
  CHECK(average_decay(0.9999, 990) == test::Approx(0.991));
  CHECK(average_decay(0.9999, 1000000) == 0.9999);
  CHECK(average_decay(0.1, 1) == 0.1);
  // After 2,000 updates nothing is left of the weights that the average began with.
  WorkerPool pool(1);
  WeightAverage average(at::ones({1}, at::kDouble), 0.9999);
  const auto zero = at::zeros({1}, at::kDouble);
  for (std::int64_t step = 1; step <= 2000; ++step) average.update(zero, step, pool);
  CHECK(average.values().item<double>() < 1e-20);
}

TEST_CASE("the rate follows the paper's schedule", "[golden]") {
  for (const auto& name : test::golden_names("noam_schedule"))
    for (const auto& run : test::golden_list(test::golden_case(name), "runs")) {
      CAPTURE(name, run.dump());
      TrainOptions options;
      options.learning_rate = run.at("factor");
      options.warmup_steps = run.at("warmup");
      const auto& steps = test::golden_list(run, "steps");
      REQUIRE(steps.size() == run.at("lr").size());
      for (std::size_t i = 0; i < steps.size(); ++i)
        CHECK(learning_rate(options, run.at("d_model"), steps.at(i)) ==
              test::Approx(run.at("lr").at(i).get<double>()).epsilon(1e-12));
    }
}

TEST_CASE("the other schedules rise to their peak, then decay or stay constant", "[unit]") {
  TrainOptions options;
  options.learning_rate = 0.005;
  options.warmup_steps = 2000;
  options.schedule = Schedule::inverse_sqrt;
  CHECK(learning_rate(options, 128, 1000) == test::Approx(0.0025));
  CHECK(learning_rate(options, 128, 2000) == test::Approx(0.005));
  CHECK(learning_rate(options, 128, 8000) == test::Approx(0.0025));
  options.schedule = Schedule::constant;
  CHECK(learning_rate(options, 128, 1000) == test::Approx(0.0025));
  CHECK(learning_rate(options, 128, 8000) == test::Approx(0.005));
  options.decay_steps = 8000;
  options.schedule = Schedule::linear;
  CHECK(learning_rate(options, 128, 1000) == test::Approx(0.0025));
  CHECK(learning_rate(options, 128, 2000) == test::Approx(0.005));
  CHECK(learning_rate(options, 128, 5000) == test::Approx(0.0025));
  CHECK(learning_rate(options, 128, 8000) == 0.0);
  CHECK(learning_rate(options, 128, 9000) == 0.0);
  options.schedule = Schedule::cosine;
  CHECK(learning_rate(options, 128, 1000) == test::Approx(0.0025));
  CHECK(learning_rate(options, 128, 4000) == test::Approx(0.00375));
  CHECK(learning_rate(options, 128, 5000) == test::Approx(0.0025));
  CHECK(learning_rate(options, 128, 8000) < 1e-18);
}

TEST_CASE("rates that are hardly ever meant are told", "[unit]") {
  TrainOptions options;
  options.warmup_steps = 4000;
  CHECK(doubtful_rates(options, 20000, false).empty());
  const auto told = [&](double updates, bool resumes) {
    const auto found = doubtful_rates(options, updates, resumes);
    REQUIRE(found.size() == 1);
    return found[0];
  };
  CHECK_THAT(told(100, false), test::contains("train.warmup_steps: 4000 is more than the 100"));
  options.schedule = Schedule::constant;
  CHECK_THAT(told(100, false), test::contains("never reaches its peak"));
  options.warmup_steps = 0;
  CHECK(doubtful_rates(options, 100, false).empty());
  options.schedule = Schedule::noam;
  options.warmup_steps = 4000;
  options.learning_rate = 0.003;
  CHECK_THAT(told(20000, false), test::contains("train.learning_rate: 0.003 multiplies"));
  options.schedule = Schedule::cosine;
  options.decay_steps = 5000;
  CHECK(doubtful_rates(options, 5000, false).empty());
  CHECK_THAT(told(6000, false), test::contains("make it 6000"));
  CHECK_THAT(told(6000, true), test::contains("--start-from"));
}

TEST_CASE("replicas share the values of a flat vector and keep their own gradients", "[unit]") {
  torch::nn::Linear first(3, 2), second(3, 2);
  const auto weight = first->weight.detach().clone();
  const FlatParameters flat(*first);
  const auto gradient = flat.attach(*first);
  const auto other_gradient = flat.attach(*second);
  CHECK(test::same_bits(first->weight.detach(), weight));
  CHECK(test::same_bits(second->weight.detach(), weight));

  second->forward(at::ones({1, 3})).sum().backward();
  CHECK(gradient.sum().item<double>() == 0.0);
  CHECK(other_gradient.sum().item<double>() == test::Approx(6.0 + 2.0));
  flat.named(flat.values()).at("bias").fill_(4.0);
  CHECK(second->bias.detach().sum().item<double>() == 8.0);
}

}  // namespace dragoman::optimizer_test
