#include "dragoman/train/update.h"

#include "dragoman/core/mix.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/tensor/random_stream.h"

#include <cmath>
#include <vector>

namespace dragoman {

namespace {

/// The gradient of the loss over the worker's batches, summed over their target tokens.
void accumulate_gradient(Worker& worker, const std::vector<Batch>& batches, std::uint64_t key) {
  const RandomScope random(mix(key, static_cast<std::uint64_t>(worker.index)));  // of dropout
  worker.gradient.zero_();
  for (const auto& batch : batches) {
    const auto loss = loss_of(worker, batch);
    worker.losses.add(loss);
    worker.completes_gradient = &batch == &batches.back();
    const Stopwatch watch(worker.seconds.backward);
    loss.sum.backward();
  }
}

}  // namespace

void accumulate_gradients(DataParallel& workers, const UpdateData& data, std::uint64_t key) {
  workers.each(
      [&](Worker& worker) { accumulate_gradient(worker, data.shards[worker.place], key); });
}

UpdateResult update(const UpdatedParts& parts, const UpdateData& data,
                    const UpdateSettings& settings) {
  auto& [workers, adam, average] = parts;
  accumulate_gradients(workers, data, settings.key);
  const Stopwatch watch(workers.seconds().optimizer);
  UpdateResult result{.sums = workers.all_reduce(data.counts)};
  // A rank knows only its own tokens. Their sum turns the gradient into that of the mean loss.
  const auto tokens = static_cast<double>(result.sums.loss.tokens);
  result.gradient_norm = norm_of(workers.gradient(), workers.pool()) / tokens;
  const double clip = clip_factor(result.gradient_norm, settings.clip_norm);
  const double clipped = clip * result.gradient_norm;  // may be NaN
  if (!std::isfinite(result.sums.loss.loss) || !(clipped * clipped <= largest_of_adam) ||
      !(tokens / clip <= largest_of_adam))
    return result;
  adam.step(workers.gradient(), clip / tokens, settings.learning_rate, workers.pool());
  average.update(workers.weights(), adam.steps(), workers.pool());
  result.applied = true;
  return result;
}

}  // namespace dragoman
