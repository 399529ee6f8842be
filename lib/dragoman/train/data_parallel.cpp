#include "dragoman/train/data_parallel.h"

#include "dragoman/core/stopwatch.h"
#include "dragoman/model/layer_norm.h"
#include "dragoman/model/linear.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/initialisation.h"
#include "dragoman/tensor/tf32.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <array>
#include <atomic>
#include <utility>

namespace dragoman {

namespace {

using SumNumbers = std::array<double, 9>;

/// As numbers that ranks can add; counts are exact in a double.
SumNumbers numbers(const UpdateSums& sums) {
  const auto number = [](std::int64_t count) { return static_cast<double>(count); };
  const auto& [loss, counts] = sums;
  return {loss.loss,
          loss.nll,
          loss.consistency,
          number(loss.correct),
          number(loss.tokens),
          number(counts.sentences),
          number(counts.source_tokens),
          number(counts.padding),
          counts.flops};
}

UpdateSums sums_of(const SumNumbers& numbers) {
  const auto count = [&](std::size_t place) { return static_cast<std::int64_t>(numbers[place]); };
  return {.loss = {.loss = numbers[0],
                   .nll = numbers[1],
                   .consistency = numbers[2],
                   .correct = count(3),
                   .tokens = count(4)},
          .counts = {.sentences = count(5),
                     .source_tokens = count(6),
                     .padding = count(7),
                     .flops = numbers[8]}};
}

/// Called by backward when a parameter's gradient has been added to.
class GradientHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit GradientHook(std::function<void()> call) : call_(std::move(call)) {}
  void operator()(const at::Tensor&) override { call_(); }

 private:
  std::function<void()> call_;
};

}  // namespace

PartSeconds& PartSeconds::operator+=(const PartSeconds& other) {
  data += other.data;
  forward += other.forward;
  loss += other.loss;
  backward += other.backward;
  optimizer += other.optimizer;
  return *this;
}

Loss loss_of(Worker& worker, const Batch& batch) {
  const Autocast autocast(worker.device, worker.precision);
  const auto moved = on_device(batch, worker.device);
  const auto hidden = timed(worker.seconds.forward, [&] { return worker.model->forward(moved); });
  const Stopwatch watch(worker.seconds.loss);
  return worker.model->loss(hidden, moved);
}

DataParallel::DataParallel(std::shared_ptr<Trainable> model, const TrainOptions& options,
                           const WorkerPlan& plan)
    : parameters_(model->module()),
      pool_(plan.workers, plan.threads),
      share_{.workers = plan.workers, .first = 0, .all = plan.workers, .threads = plan.threads} {
  const auto& weights = parameters_.values();
  choose_tf32(options.tf32, weights.device());
  for (std::int64_t worker = 0; worker < plan.workers; ++worker) {
    auto replica = model;
    if (worker > 0) {
      const SkipInitialisation skip;  // they are replaced by the shared ones
      replica = model->replica();
      replica->module().to(weights.device(), weights.scalar_type());
    }
    auto gradient = parameters_.attach(replica->module());
    replica->recompute(options);
    workers_.push_back({.place = static_cast<std::size_t>(worker),
                        .index = worker,
                        .device = weights.device(),
                        .precision = options.precision,
                        .model = std::move(replica),
                        .gradient = std::move(gradient)});
  }
  if (options.precision == Precision::bf16 && weights.scalar_type() == at::kFloat)
    share_bf16_weights();
}

void DataParallel::share_bf16_weights() {
  bf16_values_ = at::empty_like(parameters_.values(), at::kBFloat16);
  auto copies = parameters_.named(bf16_values_);
  for (auto& worker : workers_)
    for (const auto& module : worker.model->module().named_modules()) {
      if (auto* linear = module.value()->as<LinearImpl>();
          linear != nullptr && linear->weight().numel() > 0)
        linear->share_bf16(
            {copies.at(module.key() + ".weight"),
             linear->bias().defined() ? copies.at(module.key() + ".bias") : at::Tensor()});
      if (auto* norm = module.value()->as<LayerNormImpl>())
        norm->share_bf16({copies.at(module.key() + ".weight"), copies.at(module.key() + ".bias")});
    }
}

void DataParallel::round_weights() {
  if (!bf16_values_.defined()) return;
  pool_.parallel_for(bf16_values_.size(0), [&](std::int64_t begin, std::int64_t end) {
    bf16_values_.slice(0, begin, end).copy_(parameters_.values().slice(0, begin, end));
  });
}

void DataParallel::join(Communicator& group, const WorkerShare& share) {
  group_ = &group;
  share_ = share;
  std::vector<at::Tensor> gradients;
  for (auto& worker : workers_) {
    gradients.push_back(worker.gradient);
    worker.index = share.first + static_cast<std::int64_t>(worker.place);
  }
  reducer_ = std::make_unique<GradientReducer>(group, gradients, parameters_.ranges(),
                                               join_devices(group, workers_.front().device));
  for (auto& worker : workers_) {
    const auto parameters = worker.model->module().parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      torch::autograd::impl::set_post_acc_grad_hooks(
          parameters[i], std::make_unique<GradientHook>([this, &worker, i] {
            if (worker.completes_gradient) reducer_->ready(i);
          }));
  }
}

void DataParallel::each(const std::function<void(Worker&)>& task) {
  if (reducer_) reducer_->begin();
  round_weights();
  pool_.run([&](std::int64_t place) {
    auto& worker = workers_[static_cast<std::size_t>(place)];
    worker.model->module().train();
    worker.completes_gradient = false;
    task(worker);
    if (reducer_ && !worker.completes_gradient) reducer_->skip_worker();  // it had no batch
  });
}

UpdateSums DataParallel::all_reduce(const UpdateCounts& counts) {
  UpdateSums sums{.loss = {}, .counts = counts};
  for (auto& worker : workers_) {
    sums.loss += std::exchange(worker.losses, {}).sums();
    seconds_ += std::exchange(worker.seconds, {});
  }
  if (reducer_) {
    auto all = numbers(sums);
    reducer_->finish(all);
    return sums_of(all);
  }
  pool_.parallel_for(gradient().size(0), [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t i = 1; i < workers_.size(); ++i)
      gradient().slice(0, begin, end).add_(workers_[i].gradient.slice(0, begin, end));
  });
  return sums;
}

LossTally DataParallel::take_losses() {
  auto& worker = workers_.front();
  seconds_ += std::exchange(worker.seconds, {});
  return std::exchange(worker.losses, {});
}

std::optional<PassSums> DataParallel::evaluate(const std::vector<Batch>& batches,
                                               const std::function<bool()>& stop) {
  // Each batch is evaluated by one worker: the other ranks have zeros, and the sums are exact. One
  // more place counts the workers that were stopped.
  std::vector<SumNumbers> sums(batches.size() + 1);
  std::vector<LossTally> losses(batches.size());
  std::atomic<bool> stopped = false;
  round_weights();
  pool_.run([&](std::int64_t place) {
    auto& worker = workers_[static_cast<std::size_t>(place)];
    const torch::NoGradGuard no_gradients;
    worker.model->module().eval();
    for (auto i = static_cast<std::size_t>(worker.index); i < batches.size();
         i += static_cast<std::size_t>(share_.all)) {
      if (stop && stop()) stopped = true;
      if (stopped) return;
      losses[i].add(loss_of(worker, batches[i]));
    }
  });
  // Read after the last batch: a GPU does not wait between them.
  for (std::size_t i = 0; i < batches.size(); ++i)
    sums[i] = numbers({.loss = losses[i].sums(), .counts = {}});
  for (auto& worker : workers_) worker.seconds = {};  // not of training
  sums.back().front() = stopped ? 1.0 : 0.0;
  if (group_ != nullptr) sum(*group_, {sums.front().data(), sums.front().size() * sums.size()});
  if (sums.back().front() > 0.0) return std::nullopt;
  PassSums total;
  for (const auto& part : sums) total += sums_of(part).loss;
  return total;
}

}  // namespace dragoman
