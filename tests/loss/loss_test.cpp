#include "dragoman/loss/loss.h"

#include "dragoman/tensor/autocast.h"

#include "loss/smoothed_entropy.h"
#include "support/close.h"
#include "support/golden.h"

#include <torch/types.h>

#include <cmath>
#include <set>
#include <string>

namespace dragoman::loss_test {

namespace {

LabelSmoothing smoothing_from(const nlohmann::json& run, const test::GoldenCase& golden) {
  return {.eps = run.at("epsilon"),
          .kind = run.at("kind").get<SmoothingKind>(),
          .pad = golden.params().at("pad")};
}

double nll_of(const Loss& loss) { return loss.sums[Loss::nll].item<double>(); }

double correct_of(const Loss& loss) { return loss.sums[Loss::correct].item<double>(); }

/// Rows of real tokens, as the trainer selects them.
struct Rows {
  at::Tensor logits, targets, rows;
};

Rows golden_rows(const test::GoldenCase& golden) {
  const auto targets = golden.input("targets").flatten();
  const auto real = targets.ne(golden.params().at("pad").get<std::int64_t>());
  const auto rows = real.nonzero().squeeze(1);
  return {golden.input("logits").flatten(0, 1).requires_grad_(), targets.index_select(0, rows),
          rows};
}

void check_smoothed_loss(const test::GoldenCase& golden, const test::Tolerance& tolerance) {
  const auto& entropies = test::golden_list(golden.json(), "entropy_q");
  std::set<std::string> compared;
  for (const auto& run : test::golden_list(golden.json(), "runs")) {
    CAPTURE(run.at("kind"), run.at("epsilon"), run.at("reduction"));
    auto [logits, targets, rows] = golden_rows(golden);
    const auto smoothing = smoothing_from(run, golden);
    const auto loss =
        label_smoothed_cross_entropy(logits.index_select(0, rows), targets, smoothing);
    CHECK(loss.tokens == run.at("tokens"));
    const bool mean = run.at("reduction") == "mean";
    const auto reduced = mean ? loss.sum / static_cast<double>(loss.tokens) : loss.sum;
    const auto close = [&](double expected) {
      return test::Approx(expected).epsilon(tolerance.relative).margin(tolerance.absolute);
    };
    CHECK(reduced.item<double>() == close(run.at("loss")));
    CHECK(nll_of(loss) == close(golden.json().at("nll_sum")));
    CHECK(std::exp(nll_of(loss) / static_cast<double>(loss.tokens)) ==
          close(golden.json().at("perplexity")));
    const bool uniform = run.at("kind") == "uniform";
    bool found = false;
    for (const auto& [epsilon, entropy] : entropies.items())
      if (uniform && std::stod(epsilon) == run.at("epsilon").get<double>()) {
        CHECK(test::smoothed_entropy(smoothing, logits.size(1)) == close(entropy));
        compared.insert(epsilon);
        found = true;
      }
    CHECK(found == uniform);
    const auto per_token =
        test::golden_tensor(run.at("per_token")).flatten().index_select(0, rows.cpu());
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      const auto one = label_smoothed_cross_entropy(logits.index_select(0, rows.narrow(0, i, 1)),
                                                    targets.narrow(0, i, 1), smoothing);
      CHECK(one.sum.item<double>() == close(per_token[i].item<double>()));
    }
    reduced.backward();
    CHECK_THAT(logits.grad().cpu(),
               test::close_to(test::golden_tensor(run.at("grad_logits")).flatten(0, 1), tolerance));
  }
  CHECK(compared.size() == entropies.size());
}

}  // namespace

TEST_CASE("the loss without smoothing is the golden log-softmax, with rows at +1000 and -1000 too",
          "[golden]") {
  for (const auto& name : test::golden_names("softmax"))
    for (const auto& place : test::golden_places()) {
      const test::GoldenCase golden(name, place);
      const auto x = golden.input("x").flatten(0, -2);
      const auto unit = at::eye(x.size(-1), x.options());  // logits = x I
      const auto expected = golden.output("log_softmax").flatten(0, -2);
      for (std::int64_t row = 0; row < x.size(0); ++row)
        for (std::int64_t k = 0; k < x.size(1); ++k) {
          CAPTURE(name, place, row, k);
          const auto target = at::full({1}, k, x.options().dtype(at::kLong));
          const auto loss = generator_loss(x.narrow(0, row, 1), unit, {}, target, {.eps = 0.0});
          CHECK_THAT(loss.sums[Loss::nll].to(expected.options()).neg(),
                     test::close_to(expected[row][k]));
        }
    }
}

TEST_CASE("the label-smoothed loss and its gradient match the golden ones", "[golden]") {
  for (const auto& name : test::golden_names("label_smoothed_cross_entropy"))
    for (const auto& place : test::golden_places()) {
      CAPTURE(name, place);
      const test::GoldenCase golden(name, place);
      check_smoothed_loss(golden, test::tolerance_of(golden.type()));
    }
}

TEST_CASE("the fused output layer and loss equal the reference form", "[property]") {
  torch::manual_seed(2);
  const std::int64_t tokens = 600, d_model = 24,
                     vocab_size = 131;  // more than two chunks, odd sizes
  const auto targets = torch::randint(vocab_size, {tokens});
  for (const auto kind : {SmoothingKind::uniform, SmoothingKind::exclude})
    for (const bool with_bias : {false, true}) {
      CAPTURE(kind == SmoothingKind::uniform, with_bias);
      const LabelSmoothing smoothing{.eps = 0.1, .kind = kind, .pad = 5};
      const auto data =
          std::vector<at::Tensor>{torch::randn({tokens, d_model}),
                                  torch::randn({vocab_size, d_model}), torch::randn({vocab_size})};
      const auto run = [&](at::ScalarType type) {
        std::vector<at::Tensor> leaves;
        for (const auto& x : data) leaves.push_back(x.to(type).detach().clone().requires_grad_());
        const auto bias = with_bias ? leaves[2] : at::Tensor();
        auto loss = generator_loss(leaves[0], leaves[1], bias, targets, smoothing);
        (loss.sum * 0.25).backward();
        return std::pair(loss, leaves);
      };
      const auto [fused, fused_leaves] = run(torch::kFloat32);
      const auto [plain, plain_leaves] = run(torch::kFloat64);
      CHECK(fused.sum.item<double>() == test::Approx(plain.sum.item<double>()).epsilon(1e-5));
      CHECK(nll_of(fused) == test::Approx(nll_of(plain)).epsilon(1e-5));
      CHECK(correct_of(fused) == correct_of(plain));
      for (std::size_t i = 0; i < (with_bias ? 3U : 2U); ++i)
        CHECK_THAT(fused_leaves[i].grad(),
                   test::close_to(plain_leaves[i].grad().to(torch::kFloat32), {1e-4, 1e-5}));
    }
}

TEST_CASE("bf16 products give loss and gradients within rounding, over several blocks",
          "[property]") {
  torch::manual_seed(3);
  const std::int64_t tokens = 2500, d_model = 32,
                     vocab_size = 67;  // a block of gradients is 2048 tokens
  const auto targets = torch::randint(vocab_size, {tokens});
  const auto data =
      std::vector<at::Tensor>{torch::randn({tokens, d_model}), torch::randn({vocab_size, d_model}),
                              torch::randn({vocab_size})};
  const auto run = [&](Precision precision) {
    std::vector<at::Tensor> leaves;
    // Numbers exact in bf16: only the results of the products are rounded.
    for (const auto& x : data)
      leaves.push_back(x.to(torch::kBFloat16).to(torch::kFloat32).requires_grad_());
    const Autocast autocast(at::kCPU, precision);
    const auto loss = generator_loss(leaves[0], leaves[1], leaves[2], targets, {.eps = 0.1});
    loss.sum.backward();
    return std::pair(loss.sum.item<double>(), leaves);
  };
  const auto [exact, exact_leaves] = run(Precision::float32);
  const auto [rounded, rounded_leaves] = run(Precision::bf16);
  CHECK(rounded != exact);
  CHECK(rounded == test::Approx(exact).epsilon(1e-3));
  for (std::size_t i = 0; i < exact_leaves.size(); ++i) {
    const auto& wanted = exact_leaves[i].grad();
    const auto error = (rounded_leaves[i].grad() - wanted).norm() / wanted.norm();
    CHECK(error.item<double>() < 0.01);
  }
}

TEST_CASE("the loss never falls below the entropy of the smoothed target", "[property]") {
  const LabelSmoothing smoothing{.eps = 0.1};
  const std::int64_t vocab_size = 20;
  const double floor = test::smoothed_entropy(smoothing, vocab_size);
  const auto targets = torch::tensor({7});
  double least = 1e9;
  for (double logit = 0.0; logit < 12.0; logit += 0.01) {
    auto logits = torch::zeros({1, vocab_size}, torch::kFloat64);
    logits[0][7] = logit;
    least = std::min(least,
                     label_smoothed_cross_entropy(logits, targets, smoothing).sum.item<double>());
  }
  CHECK(least >= floor - 1e-12);
  CHECK(least == test::Approx(floor).epsilon(1e-4));
}

TEST_CASE("an uninformed model has a perplexity of the vocabulary size", "[property]") {
  const auto loss = generator_loss(torch::zeros({10, 8}), torch::randn({50, 8}), {},
                                   torch::randint(50, {10}), {.eps = 0.0});
  CHECK(std::exp(nll_of(loss) / 10.0) == test::Approx(50.0).epsilon(1e-6));
}

TEST_CASE("logits of any size give finite loss and gradient", "[property]") {
  auto hidden = torch::full({2, 4}, 1000.0F).requires_grad_();
  auto weight = torch::randn({9, 4}).requires_grad_();
  const auto loss = generator_loss(hidden, weight, {}, torch::tensor({0, 1}), {.eps = 0.1});
  loss.sum.backward();
  CHECK(std::isfinite(loss.sum.item<double>()));
  CHECK(hidden.grad().isfinite().all().item<bool>());
  CHECK(weight.grad().isfinite().all().item<bool>());
}

TEST_CASE("a tally adds the sums of losses and counts their tokens", "[unit]") {
  LossTally tally;
  CHECK(tally.sums().loss == 0.0);
  CHECK(tally.sums().tokens == 0);
  tally.add({.sum = {}, .sums = torch::tensor({2.5, 2.0, 3.0, 0.5}, torch::kFloat64), .tokens = 7});
  tally.add(
      {.sum = {}, .sums = torch::tensor({0.5, 0.25, 1.0, 0.125}, torch::kFloat64), .tokens = 2});
  const auto sums = tally.sums();
  CHECK(sums.loss == 3.0);
  CHECK(sums.nll == 2.25);
  CHECK(sums.correct == 4);
  CHECK(sums.consistency == 0.625);
  CHECK(sums.tokens == 9);
}

}  // namespace dragoman::loss_test
