#include "dragoman/experiment/update_cost.h"

#include "dragoman/tensor/memory_watch.h"
#include "dragoman/train/label_smoothing.h"

#include <ATen/Parallel.h>
#include <torch/nn.h>

#include <ctime>

namespace dragoman {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

void pass(TransformerImpl& model, const Batch& batch, const LabelSmoothing& smoothing) {
  const auto memory = model.encode(batch.source, batch.source_mask);
  const auto hidden = model.decode(batch.target_input, memory, batch.source_mask);
  const auto rows = batch.target_mask.flatten().nonzero().squeeze(1);
  const auto& generator = model.generator();
  generator_loss(hidden.flatten(0, 1).index_select(0, rows), generator->weight(), generator->bias(),
                 batch.target_output.flatten().index_select(0, rows), smoothing)
      .sum.backward();
}

}  // namespace

UpdateCost update_cost(const LoadedRun& run, const Batch& batch, int repetitions) {
  auto model = run.model;
  model->train();
  const LabelSmoothing smoothing{.eps = run.options.train.label_smoothing,
                                 .kind = run.options.train.label_smoothing_kind,
                                 .pad = run.vocabulary.target.special().pad};
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  UpdateCost cost;
  {
    const MemoryWatch watch;
    pass(*model, batch, smoothing);
    cost.memory_mb = static_cast<double>(watch.peak_bytes()) / mebibyte;
  }
  const double begin = process_cpu_seconds();
  for (int i = 0; i < repetitions; ++i) pass(*model, batch, smoothing);
  cost.cpu_ms = 1000.0 * (process_cpu_seconds() - begin) / repetitions;
  at::set_num_threads(threads);
  model->zero_grad();
  model->eval();
  return cost;
}

double process_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace dragoman
