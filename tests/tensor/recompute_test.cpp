#include "dragoman/tensor/recompute.h"

#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/memory_watch.h"
#include "dragoman/tensor/random_stream.h"
#include "support/close.h"

#include <ATen/autocast_mode.h>
#include <torch/types.h>

namespace dragoman::recompute_test {

namespace {

/// Three segments that read `memory` twice each, the parts of a stack that matter.
struct Stack {
  std::vector<at::Tensor> weights;
  at::Tensor x = torch::randn({6, 8}).requires_grad_();
  at::Tensor memory = torch::randn({6, 8}).requires_grad_();

  Stack() {
    for (int i = 0; i < 6; ++i) weights.push_back(torch::randn({8, 8}).requires_grad_());
  }

  std::vector<at::Tensor> leaves() const {
    auto all = weights;
    all.push_back(x);
    all.push_back(memory);
    return all;
  }

  Segment segment(std::size_t i) const {
    return [this, i](const at::Tensor& input, const at::Tensor& read) {
      const auto key = at::matmul(read, weights[2 * i]),
                 value = at::matmul(read, weights[2 * i + 1]);
      return add_dropout(input, at::tanh(key) * value, 0.4, true);
    };
  }

  /// The result, and the gradients of all leaves.
  std::vector<at::Tensor> run(bool again) const {
    SegmentEnds ends{x, memory};
    for (std::size_t i = 0; i < 3; ++i)
      ends = again ? recomputed(ends, segment(i))
                   : SegmentEnds{segment(i)(ends.x, ends.memory), memory};
    const auto result = dragoman::dropout(ends.x, 0.5, true);  // draws after the segments
    (result * result).sum().backward();
    std::vector<at::Tensor> all = {result.detach()};
    for (auto leaf : leaves()) {
      all.push_back(leaf.grad().clone());
      leaf.mutable_grad().reset();
    }
    return all;
  }
};

void check_same_bits(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(test::same_bits(a[i], b[i]));
  }
}

}  // namespace

TEST_CASE("recomputed segments give the bits of segments that were kept", "[gradient]") {
  torch::manual_seed(1);
  const Stack stack;
  const auto run = [&](bool again) {
    const RandomScope random(7);
    return stack.run(again);
  };
  const auto kept = run(false);
  check_same_bits(run(true), kept);
  const RandomScope other(8);
  CHECK_FALSE(test::same_bits(stack.run(true).front(), kept.front()));
}

TEST_CASE("without a scope LibTorch's generator is replayed and then continues", "[gradient]") {
  torch::manual_seed(1);
  const Stack stack;
  const auto run = [&](bool again) {
    torch::manual_seed(3);
    auto results = stack.run(again);
    results.push_back(torch::rand({4}));
    return results;
  };
  check_same_bits(run(true), run(false));
}

TEST_CASE("recomputed segments give the same bits with bf16 products too", "[gradient]") {
  torch::manual_seed(1);
  const Stack stack;
  const auto run = [&](bool again) {
    const RandomScope random(7);
    // Not leaves, as in a network: autocast would cast a leaf once for all segments.
    SegmentEnds ends{stack.x * 1.0, stack.memory * 1.0};
    {
      const Autocast autocast(at::kCPU, Precision::bf16);
      for (std::size_t i = 0; i < 3; ++i)
        ends = again ? recomputed(ends, stack.segment(i))
                     : SegmentEnds{stack.segment(i)(ends.x, ends.memory), ends.memory};
    }
    ends.x.sum().backward();
    CHECK_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
    std::vector<at::Tensor> all = {ends.x.detach()};
    for (auto leaf : stack.leaves()) {
      all.push_back(leaf.grad().clone());
      leaf.mutable_grad().reset();
    }
    return all;
  };
  check_same_bits(run(true), run(false));
}

TEST_CASE("a segment is run twice for a gradient and once without", "[unit]") {
  int runs = 0;
  const Segment counted = [&](const at::Tensor& x, const at::Tensor&) {
    ++runs;
    return x * x;
  };
  const auto x = torch::randn({3}).requires_grad_();
  recomputed({x, {}}, counted).x.sum().backward();
  CHECK(runs == 2);
  CHECK(test::same_bits(x.grad(), 2.0 * x.detach()));
  recomputed({x.detach(), {}}, counted);
  CHECK(runs == 3);
  const torch::NoGradGuard no_gradient;
  recomputed({x, {}}, counted);
  CHECK(runs == 4);
}

TEST_CASE("memory that requires no gradient gets none", "[unit]") {
  const auto x = torch::randn({3}).requires_grad_();
  const auto memory = torch::randn({3});
  auto ends =
      recomputed({x, memory}, [](const at::Tensor& a, const at::Tensor& b) { return a * b; });
  ends = recomputed(ends, [](const at::Tensor& a, const at::Tensor& b) { return a + b; });
  ends.x.sum().backward();
  CHECK(test::same_bits(x.grad(), memory));
  CHECK_FALSE(memory.grad().defined());
}

TEST_CASE("a gradient of memory alone is passed on", "[unit]") {
  const auto x = torch::randn({3}).requires_grad_();
  const auto memory = torch::randn({3}).requires_grad_();
  const auto ends =
      recomputed({x, memory}, [](const at::Tensor& a, const at::Tensor& b) { return a * b; });
  (2.0 * ends.memory).sum().backward();
  CHECK(test::same_bits(memory.grad(), torch::full({3}, 2.0F)));
}

TEST_CASE("the activations of a segment are not kept", "[property]") {
  const auto x = torch::randn({1000, 100}).requires_grad_();
  const Segment many = [](const at::Tensor& input, const at::Tensor&) {
    auto hidden = input;
    for (int i = 0; i < 20; ++i) hidden = hidden.sin();
    return hidden;
  };
  constexpr std::int64_t bytes = 400'000;
  const auto after = [&](bool again) {
    const MemoryWatch watch;
    auto hidden = x;
    for (int i = 0; i < 4; ++i)
      hidden = again ? recomputed({hidden, {}}, many).x : many(hidden, {});
    hidden.sum().backward();
    return watch.peak_bytes();
  };
  CHECK(after(false) > 80 * bytes);
  CHECK(after(true) < 30 * bytes);
}

}  // namespace dragoman::recompute_test
