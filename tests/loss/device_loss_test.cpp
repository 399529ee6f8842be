#include "dragoman/loss/device_loss.h"

#include "dragoman/model/classifier.h"
#include "dragoman/model/language_model.h"
#include "support/close.h"
#include "support/devices.h"

#include <torch/nn.h>
#include <torch/types.h>

#include <vector>

namespace dragoman::device_loss_test {

namespace {

constexpr std::int64_t classes = 11;  // or pieces

/// The inputs of an output layer, and its gradients.
struct OutputLayer {
  at::Tensor hidden, weight, bias;

  explicit OutputLayer(at::ScalarType type) {
    torch::manual_seed(3);
    const auto options = torch::dtype(type);
    hidden = torch::randn({7, 5}, options).requires_grad_();
    weight = torch::randn({classes, 5}, options).requires_grad_();
    bias = torch::randn({classes}, options).requires_grad_();
  }
  std::vector<at::Tensor> gradients() const { return {hidden.grad(), weight.grad(), bias.grad()}; }
};

const LabelSmoothing smoothings[] = {
    {.eps = 0.0}, {.eps = 0.1}, {.eps = 0.2, .kind = SmoothingKind::exclude, .pad = 4}};

at::Tensor targets() { return torch::tensor({3, 0, 10, 5, 5, 1, 9}, torch::kInt64); }

ModelOptions small_options() {
  ModelOptions options;
  options.d_model = 8, options.d_ff = 12, options.num_heads = 2;
  options.encoder_layers = options.decoder_layers = 1;
  options.dropout = 0.0;
  return options;
}

/// A float64 model with the same weights on each device.
template <typename Model, typename... Sizes>
Model model_on(const c10::Device& device, Sizes... sizes) {
  torch::manual_seed(7);
  Model model(small_options(), sizes...);
  model->to(torch::kFloat64);
  model->to(device);
  return model;
}

void check_same(torch::nn::Module& there, const Loss& loss, torch::nn::Module& here,
                const Loss& expected) {
  CHECK(loss.tokens == expected.tokens);
  CHECK_THAT(loss.sums.cpu(), test::close_to(expected.sums, {1e-10, 1e-10}));
  loss.sum.backward();
  expected.sum.backward();
  const auto wanted = here.named_parameters();
  for (const auto& parameter : there.named_parameters()) {
    CAPTURE(parameter.key());
    CHECK_THAT(parameter.value().grad().cpu(),
               test::close_to(wanted[parameter.key()].grad(), {1e-9, 1e-10}));
  }
}

}  // namespace

TEST_CASE("a device's loss, sums and gradients match the reference form for any chunk size",
          "[unit][gradient]") {
  for (const auto& smoothing : smoothings)
    for (const std::int64_t largest_chunk : {1L, 3 * classes, 100 * classes}) {
      CAPTURE(smoothing.eps, largest_chunk);
      const OutputLayer plain(torch::kFloat64), own(torch::kFloat64);
      const auto expected = label_smoothed_cross_entropy(
          at::linear(plain.hidden, plain.weight, plain.bias), targets(), smoothing);
      const auto loss = device_loss({own.hidden, own.weight, own.bias}, targets(),
                                    smoothed_target(smoothing, classes), largest_chunk);
      CHECK(loss.tokens == 7);
      CHECK_THAT(loss.sum, test::close_to(expected.sum, {1e-12, 1e-12}));
      CHECK_THAT(loss.sums, test::close_to(expected.sums, {1e-12, 1e-12}));
      (expected.sum * 0.25).backward();
      (loss.sum * 0.25).backward();
      for (std::size_t i = 0; i < 3; ++i)
        CHECK_THAT(own.gradients()[i], test::close_to(plain.gradients()[i], {1e-12, 1e-12}));
    }
}

TEST_CASE("a device's loss in float32 equals that of the chunked output layer", "[unit]") {
  const OutputLayer layer(torch::kFloat32);
  const auto expected = generator_loss(layer.hidden, layer.weight, layer.bias, targets(), {});
  const auto loss = device_loss({layer.hidden, layer.weight, layer.bias}, targets(),
                                smoothed_target({}, classes), 2 * classes);
  CHECK_THAT(loss.sum, test::close_to(expected.sum, {1e-5, 1e-6}));
}

TEST_CASE("a device's loss without bias and without gradient is the same", "[unit]") {
  const OutputLayer layer(torch::kFloat64);
  const auto with =
      device_loss({layer.hidden, layer.weight}, targets(), smoothed_target({}, classes));
  const torch::NoGradGuard no_gradients;
  const auto without =
      device_loss({layer.hidden, layer.weight, torch::zeros({classes}, torch::kFloat64)}, targets(),
                  smoothed_target({}, classes));
  CHECK(with.sum.requires_grad());
  CHECK_FALSE(without.sum.requires_grad());
  CHECK(test::same_bits(with.sums, without.sums));
}

TEST_CASE("of equally probable classes only the first counts as predicted, on every device",
          "[unit]") {
  constexpr std::int64_t many = 37;  // two lanes of 16 and a rest
  auto weight = torch::zeros({many, 1});
  weight.index_fill_(0, torch::tensor({3, 20, 35}), 2.0);
  const auto hidden = torch::ones({5, 1}), wanted = torch::tensor({20, 3, 35, 0, 3});
  const auto correct_of = [](const Loss& loss) { return loss.sums[Loss::correct].item<double>(); };
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    CAPTURE(type);
    const auto x = hidden.to(type), w = weight.to(type);
    CHECK(correct_of(generator_loss(x, w, {}, wanted, {})) == 2.0);
    CHECK(correct_of(device_loss({x, w}, wanted, smoothed_target({}, many))) == 2.0);
  }
  for (const auto& device : test::other_devices())
    CHECK(correct_of(generator_loss(hidden.to(device), weight.to(device), {}, wanted.to(device),
                                    {})) == 2.0);
}

TEST_CASE("the loss of a classifier on a device, with its gradients, is that on the CPU",
          "[property]") {
  const auto ids = torch::tensor({{4, 9, 3, 0}, {5, 6, 7, 3}, {10, 3, 0, 0}}, torch::kInt64);
  const auto mask = ids != 0, labels = torch::tensor({2, 0, 1}, torch::kInt64);
  const auto loss_of = [&](Classifier& model, const c10::Device& device) {
    return label_smoothed_cross_entropy(model->forward(ids.to(device), mask.to(device)),
                                        labels.to(device), {.eps = 0.1});
  };
  for (const auto& device : test::other_devices()) {
    auto here = model_on<Classifier>(c10::kCPU, classes, std::int64_t{3});
    auto there = model_on<Classifier>(device, classes, std::int64_t{3});
    check_same(*there, loss_of(there, device), *here, loss_of(here, c10::kCPU));
  }
}

TEST_CASE("the loss of a language model on a device, with its gradients, is that on the CPU",
          "[property]") {
  const auto ids = torch::tensor({{2, 9, 4, 5}, {2, 6, 7, 10}}, torch::kInt64);
  const auto next = torch::tensor({9, 4, 5, 3, 6, 7, 10, 3}, torch::kInt64);
  const auto loss_of = [&](LanguageModel& model, const c10::Device& device) {
    const auto hidden = model->forward(ids.to(device)).flatten(0, 1);
    const auto& generator = model->generator();
    return generator_loss(hidden, generator->weight(), generator->bias(), next.to(device),
                          {.eps = 0.1});
  };
  for (const auto& device : test::other_devices()) {
    auto here = model_on<LanguageModel>(c10::kCPU, classes);
    auto there = model_on<LanguageModel>(device, classes);
    check_same(*there, loss_of(there, device), *here, loss_of(here, c10::kCPU));
  }
}

}  // namespace dragoman::device_loss_test
