#include "dragoman/experiment/update_cost.h"

#include "dragoman/core/process_usage.h"
#include "dragoman/tensor/memory_watch.h"
#include "dragoman/tensor/thread_count.h"
#include "dragoman/train/translation_model.h"

#include <torch/nn.h>

namespace dragoman {

namespace {

void pass(TranslationModel& model, const Batch& batch) {
  model.loss(model.forward(batch), batch).sum.backward();
}

}  // namespace

UpdateCost update_cost(const LoadedRun& run, const Batch& batch) {
  constexpr int repetitions = 8;
  auto module = run.model;
  module->train();
  TranslationModel model(module, run.options, run.vocabulary);
  const ThreadCount one_thread(1);
  UpdateCost cost;
  {
    const MemoryWatch watch;
    pass(model, batch);
    cost.memory_mb = watch.peak_mb();
  }
  const double begin = process_cpu_seconds();
  for (int i = 0; i < repetitions; ++i) pass(model, batch);
  cost.cpu_ms = 1000.0 * (process_cpu_seconds() - begin) / repetitions;
  module->zero_grad();
  module->eval();
  return cost;
}

}  // namespace dragoman
