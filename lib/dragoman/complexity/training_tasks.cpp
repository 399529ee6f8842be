#include "dragoman/complexity/loop_numbers.h"
#include "dragoman/complexity/loop_tasks.h"
#include "dragoman/core/concat.h"
#include "dragoman/loss/cpu_loss.h"
#include "dragoman/loss/paired_loss.h"
#include "dragoman/optimizer/adam.h"
#include "dragoman/tensor/worker_pool.h"

#include <cstdint>
#include <memory>

namespace dragoman {

namespace {

constexpr std::int64_t loss_rows = 64;

/// Logits become their gradients in place, call after call: small numbers, but never denormal ones.
void add_loss_tasks(std::vector<LoopTask>& tasks, std::int64_t vocab_size) {
  const auto logits = scattered({loss_rows, vocab_size}), gradient = at::ones_like(logits);
  const auto targets = at::randint(vocab_size, {loss_rows}, at::kLong);
  const auto log_softmax = [=] {
    const auto log_probs = at::log_softmax(logits, 1);
    at::_log_softmax_backward_data(gradient, log_probs, 1, at::kFloat);
  };
  const auto target = smoothed_target({}, vocab_size);
  tasks.push_back({concat("smoothed_loss_rows, ", loss_rows, " x ", vocab_size),
                   bytes_of({logits, logits}),
                   [=, own = logits.clone()]() mutable {
                     double sums[Loss::numbers] = {};
                     smoothed_loss_rows(own, targets, target, /*with_gradient=*/true, sums);
                   },
                   log_softmax});
  const auto of_pairs =
      paired_loss_rows(targets.narrow(0, 0, loss_rows / 2),
                       {.target = target, .weights = {.forward_kl = 1.0, .backward_kl = 1.0}});
  tasks.push_back({concat("paired_loss_rows, ", loss_rows, " x ", vocab_size),
                   bytes_of({logits, logits}), [=, own = logits.clone()]() mutable {
                     double sums[Loss::numbers] = {};
                     of_pairs(own, 0, /*with_gradient=*/true, sums);
                   }});
}

void add_gradient_norm_task(std::vector<LoopTask>& tasks, std::int64_t count) {
  const auto gradient = scattered({count});
  tasks.push_back({concat("gradient norm, ", count, " numbers"), bytes_of({gradient}),
                   [=, pool = std::make_shared<WorkerPool>(1)] { norm_of(gradient, *pool); },
                   [=] { at::linalg_vector_norm(gradient); }});
}

}  // namespace

std::vector<LoopTask> training_tasks() {
  std::vector<LoopTask> tasks;
  for (const std::int64_t vocab_size : {8000, 32000}) add_loss_tasks(tasks, vocab_size);
  add_gradient_norm_task(tasks, std::int64_t{1} << 21);
  return tasks;
}

}  // namespace dragoman
