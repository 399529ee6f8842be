#include "dragoman/train/adam.h"
#include "dragoman/train/flat_parameters.h"
#include "dragoman/train/schedule.h"

#include "support/close.h"
#include "support/golden.h"

#include <torch/nn.h>

namespace dragoman::optimizer_test {

namespace {

/// The tensors of a golden case as one vector, in the order of their names.
at::Tensor flat_of(const nlohmann::json& tensors) {
  std::vector<at::Tensor> all;
  for (const auto& [name, stored] : tensors.items())
    all.push_back(test::golden_tensor(stored).flatten());
  return at::cat(all);
}

TrainOptions adam_options(const nlohmann::json& params) {
  TrainOptions options;
  options.beta1 = params.at("beta1");
  options.beta2 = params.at("beta2");
  options.adam_eps = params.at("eps");
  return options;
}

}  // namespace

TEST_CASE("steps of Adam give the golden parameters and moments", "[golden]") {
  const test::GoldenCase golden("adam", at::kDouble);
  const auto& inputs = golden.json().at("inputs");
  for (const auto& run : test::golden_list(golden.json(), "runs")) {
    CAPTURE(run.at("schedule"));
    const auto values = flat_of(inputs.at("params"));
    Adam adam(values, adam_options(golden.params()));
    const auto& steps = test::golden_list(run, "steps");
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& step = steps.at(i);
      adam.step(flat_of(inputs.at("grads").at(i)), step.at("lr"));
      CAPTURE(i);
      CHECK(adam.steps() == step.at("step"));
      CHECK_THAT(values, test::close_to(flat_of(step.at("params"))));
      CHECK_THAT(adam.first_moment(), test::close_to(flat_of(step.at("m"))));
      CHECK_THAT(adam.second_moment(), test::close_to(flat_of(step.at("v"))));
    }
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
  WorkerPool pool(workers);
  Adam alone(values, TrainOptions{}), together(shared, TrainOptions{});
  for (int i = 0; i < 3; ++i) {
    const auto gradient = torch::randn({size});
    alone.step(gradient, 0.01);
    together.step(gradient, 0.01, &pool);
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
  Adam(values, options).step(at::zeros({3}, at::kDouble), 0.5);
  CHECK_THAT(values, test::close_to(at::full({3}, 2.0 * (1.0 - 0.5 * 0.1), at::kDouble)));
}

TEST_CASE("gradients are clipped by their global norm", "[golden]") {
  const test::GoldenCase golden("clip_grad_norm", at::kDouble);
  auto gradient = flat_of(golden.json().at("inputs").at("grads"));
  const double norm = clip_norm(gradient, golden.params().at("max_norm"));
  CHECK(norm == test::Approx(golden.json().at("outputs").at("norm").get<double>()).epsilon(1e-9));
  CHECK_THAT(gradient, test::close_to(flat_of(golden.json().at("outputs").at("grads"))));
}

TEST_CASE("a norm below the limit, or a limit of 0, leaves the gradient unchanged", "[unit]") {
  auto gradient = at::tensor({0.3, 0.4}, at::kDouble);
  CHECK(clip_norm(gradient, 1.0) == test::Approx(0.5));
  CHECK(clip_norm(gradient, 0.0) == test::Approx(0.5));
  CHECK_THAT(gradient, test::close_to(at::tensor({0.3, 0.4}, at::kDouble)));
}

TEST_CASE("the rate follows the paper's schedule", "[golden]") {
  const test::GoldenCase golden("noam_schedule", at::kDouble);
  for (const auto& run : test::golden_list(golden.json(), "runs")) {
    TrainOptions options;
    options.learning_rate = run.at("factor");
    options.warmup_steps = run.at("warmup");
    const auto& steps = test::golden_list(run, "steps");
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
