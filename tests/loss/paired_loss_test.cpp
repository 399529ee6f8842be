#include "dragoman/loss/paired_loss.h"

#include "dragoman/tensor/autocast.h"

#include "support/close.h"
#include "support/devices.h"

#include <torch/types.h>

#include <cmath>
#include <utility>
#include <vector>

namespace dragoman::paired_loss_test {

namespace {

constexpr std::int64_t classes = 37;  // two lanes of 16 and a rest

const LabelSmoothing smoothings[] = {
    {.eps = 0.0}, {.eps = 0.1}, {.eps = 0.2, .kind = SmoothingKind::exclude, .pad = 4}};

PairWeights weights_of(Consistency consistency, double alpha) {
  TrainOptions options;
  options.consistency = consistency;
  options.consistency_weight = alpha;
  return pair_weights(options);
}

using Row = std::vector<double>;

Row softmax(const Row& logits) {
  double sum = 0.0;
  for (const double x : logits) sum += std::exp(x);
  Row probs;
  for (const double x : logits) probs.push_back(std::exp(x) / sum);
  return probs;
}

double cross_entropy(const Row& probs, std::size_t wanted, const LabelSmoothing& smoothing) {
  double loss = 0.0;
  for (std::size_t k = 0; k < probs.size(); ++k) {
    double q = k == wanted ? 1.0 - smoothing.eps : 0.0;
    if (smoothing.kind == SmoothingKind::uniform)
      q += smoothing.eps / static_cast<double>(classes);
    else if (k != wanted && k != static_cast<std::size_t>(smoothing.pad))
      q += smoothing.eps / static_cast<double>(classes - 2);
    loss -= q * std::log(probs[k]);
  }
  return loss;
}

double divergence(const Row& p, const Row& q) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += p[k] * std::log(p[k] / q[k]);
  return sum;
}

/// The formulas of the papers for one target, R-Drop's halved.
double plain_loss(const Row& one, const Row& other, std::size_t wanted,
                  const LabelSmoothing& smoothing, const std::pair<Consistency, double>& kind) {
  const auto p = softmax(one), q = softmax(other);
  const auto [consistency, alpha] = kind;
  if (consistency == Consistency::simcut)
    return cross_entropy(p, wanted, smoothing) + alpha * divergence(p, q);
  return 0.5 * (cross_entropy(p, wanted, smoothing) + cross_entropy(q, wanted, smoothing) +
                alpha * 0.5 * (divergence(p, q) + divergence(q, p)));
}

Row row_of(const at::Tensor& logits, std::int64_t row) {
  const auto values = logits[row].contiguous();
  return {values.const_data_ptr<double>(), values.const_data_ptr<double>() + classes};
}

/// The inputs of an output layer for two passes over 300 targets, more than a chunk.
struct Layer {
  OutputLayer layer;
  at::Tensor targets;

  explicit Layer(at::ScalarType type, std::int64_t tokens = 300,
                 const c10::Device& device = c10::kCPU) {
    torch::manual_seed(5);
    const auto random = [&](at::IntArrayRef shape) {
      return torch::randn(shape).to(torch::kBFloat16).to(type).to(device).requires_grad_();
    };
    layer = {.hidden = random({2 * tokens, 6}),
             .weight = random({classes, 6}),
             .bias = random({classes})};
    targets = torch::randint(classes, {tokens}).to(device);
  }
  std::vector<at::Tensor> gradients() const {
    return {layer.hidden.grad(), layer.weight.grad(), layer.bias.grad()};
  }
};

const std::pair<Consistency, double> kinds[] = {
    {Consistency::rdrop, 5.0}, {Consistency::simcut, 3.0}, {Consistency::rdrop, 0.0}};

}  // namespace

TEST_CASE("the loss of two passes and its gradient are those of the papers' formulas",
          "[golden][gradient]") {
  torch::manual_seed(4);
  const auto targets = torch::tensor({7, 4, 36});
  for (const auto& kind : kinds)
    for (const auto& smoothing : smoothings) {
      if (smoothing.pad == 4 && smoothing.eps == 0.2) targets[1] = 5;  // never a target
      CAPTURE(nlohmann::json(kind.first).dump(), kind.second, smoothing.eps);
      auto logits = torch::randn({6, classes}, torch::kFloat64).requires_grad_();
      const auto loss =
          paired_cross_entropy(logits, targets, smoothing, weights_of(kind.first, kind.second));
      const auto plain = [&](const at::Tensor& x) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < 3; ++i)
          sum += plain_loss(row_of(x, 2 * i), row_of(x, 2 * i + 1),
                            static_cast<std::size_t>(targets[i].item<std::int64_t>()), smoothing,
                            kind);
        return sum;
      };
      CHECK(loss.tokens == 3);
      CHECK(loss.sum.item<double>() == test::Approx(plain(logits.detach())).epsilon(1e-12));
      loss.sum.backward();
      for (const std::int64_t row : {0, 1, 4, 5})
        for (const std::int64_t column : {4, 7, 11, 36}) {
          auto moved = logits.detach().clone();
          moved[row][column] += 1e-5;
          const double above = plain(moved);
          moved[row][column] -= 2e-5;
          CHECK(logits.grad()[row][column].item<double>() ==
                test::Approx((above - plain(moved)) / 2e-5).epsilon(1e-6).margin(1e-9));
        }
    }
}

TEST_CASE("the sums of two passes name the cross-entropy and the divergence apart", "[unit]") {
  const Layer plain(torch::kFloat64);
  const auto logits = at::linear(plain.layer.hidden, plain.layer.weight, plain.layer.bias);
  const auto pairs = logits.view({-1, 2, classes});
  const auto p = label_smoothed_cross_entropy(pairs.select(1, 0), plain.targets, {}),
             q = label_smoothed_cross_entropy(pairs.select(1, 1), plain.targets, {});
  const auto sums = [&](Consistency consistency) {
    return paired_cross_entropy(logits, plain.targets, {}, weights_of(consistency, 2.0)).sums;
  };
  const auto rdrop = sums(Consistency::rdrop), simcut = sums(Consistency::simcut);
  CHECK_THAT(rdrop[Loss::minimised] - rdrop[Loss::consistency],
             test::close_to((p.sums[Loss::minimised] + q.sums[Loss::minimised]) / 2, {1e-12, 0.0}));
  CHECK_THAT(rdrop[Loss::nll],
             test::close_to((p.sums[Loss::nll] + q.sums[Loss::nll]) / 2, {1e-12, 0.0}));
  CHECK_THAT(simcut[Loss::minimised] - simcut[Loss::consistency],
             test::close_to(p.sums[Loss::minimised], {1e-12, 0.0}));
  CHECK_THAT(simcut[Loss::nll], test::close_to(p.sums[Loss::nll], {1e-12, 0.0}));
  for (const auto& x : {rdrop, simcut}) {
    CHECK(x[Loss::correct].item<double>() == p.sums[Loss::correct].item<double>());
    CHECK(x[Loss::consistency].item<double>() > 0.0);
  }
}

TEST_CASE("R-Drop with a weight of 0 is plain cross-entropy over the doubled batch", "[unit]") {
  const Layer twice(torch::kFloat32), paired(torch::kFloat32);
  const auto both = torch::stack({twice.targets, twice.targets}, 1).flatten();
  const auto plain =
      generator_loss(twice.layer.hidden, twice.layer.weight, twice.layer.bias, both, {.eps = 0.1});
  const auto loss =
      paired_loss(paired.layer, paired.targets, {.eps = 0.1}, weights_of(Consistency::rdrop, 0.0));
  CHECK(loss.tokens * 2 == plain.tokens);
  CHECK(loss.sum.item<double>() * 2.0 == test::Approx(plain.sum.item<double>()).epsilon(1e-6));
  (loss.sum * 2.0).backward();
  plain.sum.backward();
  for (std::size_t i = 0; i < 3; ++i)
    CHECK_THAT(paired.gradients()[i], test::close_to(twice.gradients()[i], {1e-5, 1e-5}));
}

TEST_CASE("both fast losses of two passes equal the definition for any chunk", "[property]") {
  for (const auto& [consistency, alpha] : kinds)
    for (const auto& smoothing : smoothings) {
      CAPTURE(nlohmann::json(consistency).dump(), alpha, smoothing.eps);
      const auto weights = weights_of(consistency, alpha);
      const PairedTarget target{.target = smoothed_target(smoothing, classes), .weights = weights};
      const Layer plain(torch::kFloat64), single(torch::kFloat32);
      const auto expected = paired_loss(plain.layer, plain.targets, smoothing, weights);
      const auto fast = paired_loss(single.layer, single.targets, smoothing, weights);
      (expected.sum * 0.25).backward();
      (fast.sum * 0.25).backward();
      CHECK_THAT(fast.sums, test::close_to(expected.sums, {1e-5, 1e-4}));
      for (std::size_t i = 0; i < 3; ++i)
        CHECK_THAT(single.gradients()[i],
                   test::close_to(plain.gradients()[i].to(torch::kFloat32), {1e-4, 1e-4}));
      for (const std::int64_t chunk : {1L, 14 * classes, 10000 * classes}) {
        const Layer device(torch::kFloat64);
        const auto loss = device_paired_loss(device.layer, device.targets, target, chunk);
        CHECK(loss.tokens == expected.tokens);
        CHECK_THAT(loss.sums, test::close_to(expected.sums, {1e-11, 1e-11}));
        (loss.sum * 0.25).backward();
        for (std::size_t i = 0; i < 3; ++i)
          CHECK_THAT(device.gradients()[i], test::close_to(plain.gradients()[i], {1e-11, 1e-11}));
      }
    }
}

TEST_CASE("of equally probable classes only the first of the first pass counts as predicted",
          "[unit]") {
  auto weight = torch::zeros({classes, 1});
  weight.index_fill_(0, torch::tensor({3, 20, 35}), 2.0);
  const auto hidden = torch::ones({6, 1}), targets = torch::tensor({20, 3, 35});
  const auto weights = weights_of(Consistency::rdrop, 5.0);
  const PairedTarget paired{.target = smoothed_target({}, classes), .weights = weights};
  const OutputLayer layer{hidden, weight};
  for (const auto& loss :
       {paired_loss(layer, targets, {}, weights), device_paired_loss(layer, targets, paired),
        paired_cross_entropy(at::linear(hidden, weight), targets, {}, weights)})
    CHECK(loss.sums[Loss::correct].item<double>() == 1.0);
}

TEST_CASE("the loss of two passes on a device is that on the CPU", "[property]") {
  for (const auto& device : test::other_devices())
    for (const auto& [consistency, alpha] : kinds)
      for (const auto& smoothing : smoothings) {
        CAPTURE(device.str(), nlohmann::json(consistency).dump(), alpha, smoothing.eps);
        const auto weights = weights_of(consistency, alpha);
        const Layer here(torch::kFloat64), there(torch::kFloat64, 300, device);
        const auto expected = paired_loss(here.layer, here.targets, smoothing, weights);
        const auto loss = paired_loss(there.layer, there.targets, smoothing, weights);
        CHECK(loss.sum.device() == device);
        CHECK(loss.tokens == expected.tokens);
        CHECK_THAT(loss.sums.cpu(), test::close_to(expected.sums, {1e-11, 1e-11}));
        (expected.sum * 0.25).backward();
        (loss.sum * 0.25).backward();
        for (std::size_t i = 0; i < 3; ++i)
          CHECK_THAT(there.gradients()[i].cpu(),
                     test::close_to(here.gradients()[i], {1e-11, 1e-11}));
      }
}

TEST_CASE("bf16 products give the loss of two passes within rounding, over several blocks",
          "[property]") {
  const Layer exact(torch::kFloat32, 1500), rounded(torch::kFloat32, 1500);
  const auto weights = weights_of(Consistency::simcut, 3.0);
  const auto expected = paired_loss(exact.layer, exact.targets, {}, weights);
  const Autocast autocast(at::kCPU, Precision::bf16);
  const auto loss = paired_loss(rounded.layer, rounded.targets, {}, weights);
  CHECK(loss.sum.item<double>() != expected.sum.item<double>());
  CHECK(loss.sum.item<double>() == test::Approx(expected.sum.item<double>()).epsilon(2e-3));
  expected.sum.backward();
  loss.sum.backward();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto wanted = exact.gradients()[i];
    CHECK(((rounded.gradients()[i] - wanted).norm() / wanted.norm()).item<double>() < 0.01);
  }
}

TEST_CASE("two equal passes have no divergence, and logits of any size a finite one",
          "[property]") {
  auto rows = torch::randn({5, 6}).repeat_interleave(2, 0).requires_grad_();
  const auto weight = torch::randn({classes, 6});
  const auto targets = torch::randint(classes, {5});
  const auto weights = weights_of(Consistency::rdrop, 5.0);
  CHECK_THAT(paired_loss({rows, weight}, targets, {}, weights).sums[Loss::consistency],
             test::close_to(torch::zeros({}, torch::kFloat64), {0.0, 1e-5}));
  auto large = (torch::randn({10, 6}) * 300.0F).requires_grad_();
  const auto loss = paired_loss({large, weight}, targets, {}, weights);
  loss.sum.backward();
  CHECK(std::isfinite(loss.sum.item<double>()));
  CHECK(large.grad().isfinite().all().item<bool>());
}

}  // namespace dragoman::paired_loss_test
