#include "dragoman/train/device_update.h"

#include "dragoman/core/stopwatch.h"

#include <torch/types.h>

namespace dragoman {

namespace {

at::Tensor single(const at::Tensor& like, double value, at::ScalarType type) {
  return torch::full({}, value, like.options().dtype(type));
}

/// What `clip_factor` gives, on the device.
at::Tensor clip_factor_on_device(const at::Tensor& norm, double max_norm) {
  const auto none = torch::ones_like(norm);
  if (max_norm == 0.0) return none;
  return torch::where(norm > max_norm, max_norm / (norm + clip_epsilon), none);
}

/// Lets the device copy its numbers to the host when it has them: a plain copy, later, would wait
/// for all that the device has been told to do by then.
void copy_to_host(StartedUpdate& update) {
  const auto device = update.numbers.device();
  if (!device.is_cuda()) return;
  const auto pinned = update.numbers.options().device(torch::kCPU).pinned_memory(true);
  update.numbers =
      torch::empty(update.numbers.sizes(), pinned).copy_(update.numbers, /*non_blocking=*/true);
  update.copied.emplace(device.type());
  update.copied->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

}  // namespace

StartedUpdate start_update(const UpdatedParts& parts, const UpdateData& data,
                           const UpdateSettings& settings, const StartedUpdate* before) {
  auto& [workers, adam, average] = parts;
  accumulate_gradients(workers, data, settings.key);
  const Stopwatch watch(workers.seconds().optimizer);
  const auto losses = workers.take_losses();
  const auto tokens = static_cast<double>(losses.tokens());
  const auto norm = norm_on_device(workers.gradient()) / tokens;
  const auto clip = clip_factor_on_device(norm, settings.clip_norm);
  const auto divisor = tokens / clip;
  const auto can_be_applied = losses.device_sums()[Loss::minimised]
                                  .isfinite()
                                  .logical_and((clip * norm).square() <= largest_of_adam)
                                  .logical_and(divisor <= largest_of_adam);
  auto failed = can_be_applied.logical_not().to(torch::kFloat32);
  if (before != nullptr) failed = torch::maximum(failed, before->failed);
  adam.step_unless(failed, workers.gradient(), divisor, settings.learning_rate);
  average.update_unless(failed, workers.weights(), adam.steps());
  const auto applied = single(norm, 1.0, torch::kFloat64) - failed;
  StartedUpdate update{.numbers = torch::cat({losses.device_sums(), torch::stack({norm, applied})}),
                       .copied = {},
                       .failed = failed,
                       .tokens = losses.tokens(),
                       .counts = data.counts};
  copy_to_host(update);
  return update;
}

UpdateResult result_of(const StartedUpdate& update) {
  if (update.copied) update.copied->synchronize();
  const auto host = update.numbers.cpu();
  const auto* numbers = host.const_data_ptr<double>();
  return {.sums = {.loss = pass_sums(numbers, update.tokens), .counts = update.counts},
          .gradient_norm = numbers[Loss::numbers],
          .applied = numbers[Loss::numbers + 1] > 0.5};
}

}  // namespace dragoman
