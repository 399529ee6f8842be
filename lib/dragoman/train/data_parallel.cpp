#include "dragoman/train/data_parallel.h"

#include "dragoman/model/linear.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/random_stream.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>

namespace dragoman {

namespace {

/// Adds its lifetime to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

/// As numbers that ranks can add; counts are exact in a double.
std::array<double, 4> numbers(const PassSums& sums) {
  return {sums.loss, sums.nll, static_cast<double>(sums.correct), static_cast<double>(sums.tokens)};
}

PassSums pass_sums(const std::array<double, 4>& numbers) {
  return {numbers[0], numbers[1], static_cast<std::int64_t>(numbers[2]),
          static_cast<std::int64_t>(numbers[3])};
}

/// Called by backward when a parameter's gradient has been added to.
class GradientHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit GradientHook(std::function<void()> call) : call_(std::move(call)) {}
  void operator()(const at::Tensor&) override { call_(); }

 private:
  std::function<void()> call_;
};

/// Indices of the rows that are real tokens. Computed on the host, to avoid waiting for a GPU.
at::Tensor places_of_tokens(const at::Tensor& host_mask, const at::Device& device) {
  const auto rows = host_mask.flatten().nonzero().squeeze(1);
  return device.is_cpu() ? rows : rows.pin_memory().to(device, /*non_blocking=*/true);
}

/// Rows of real tokens, in reading order. [batch, len, ...] -> [tokens, ...]
at::Tensor real_rows(const at::Tensor& x, const at::Tensor& rows) {
  return x.flatten(0, 1).index_select(0, rows);
}

}  // namespace

DataParallel::DataParallel(Transformer model, const RunOptions& options, std::int64_t workers,
                           const LabelSmoothing& smoothing)
    : models_{model},
      precision_(options.train.precision),
      smoothing_(smoothing),
      device_(model->parameters().front().device()),
      parameters_(*model),
      pool_(workers),
      share_{.workers = workers, .first = 0, .all = workers},
      worker_seconds_(static_cast<std::size_t>(workers)) {
  const at::ScalarType type = parameters_.values().scalar_type();
  for (std::int64_t worker = 1; worker < workers; ++worker) {
    models_.emplace_back(model->options(), model->vocabulary());
    models_.back()->to(device_, type);
  }
  const auto segment_of = [&](std::int64_t layers) {
    return options.train.recomputed_layers(layers);
  };
  for (auto& replica : models_) {
    gradients_.push_back(parameters_.attach(*replica));
    replica->recompute(segment_of(options.model.encoder_layers),
                       segment_of(options.model.decoder_layers));
  }
  if (precision_ == Precision::bf16 && device_.is_cpu() && type == at::kFloat) share_bf16_weights();
}

void DataParallel::share_bf16_weights() {
  bf16_values_ = at::empty_like(parameters_.values(), at::kBFloat16);
  auto copies = parameters_.named(bf16_values_);
  for (auto& replica : models_)
    for (const auto& module : replica->named_modules())
      if (auto* linear = module.value()->as<LinearImpl>())
        linear->share_bf16_weight(copies.at(module.key() + ".weight"));
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
  last_batch_.resize(models_.size());
  gradient_reducer_ = std::make_unique<GradientReducer>(group, gradients_, parameters_.ranges(),
                                                        join_devices(group, device_));
  for (std::size_t worker = 0; worker < models_.size(); ++worker) {
    const auto parameters = models_[worker]->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      torch::autograd::impl::set_post_acc_grad_hooks(
          parameters[i], std::make_unique<GradientHook>([this, worker, i] {
            if (last_batch_[worker] != 0) gradient_reducer_->ready(i);
          }));
  }
}

at::Tensor DataParallel::loss_of(Transformer& model, const Batch& host_batch, LossTally& tally,
                                 PartSeconds& seconds) {
  const Autocast autocast(device_, precision_);
  at::Tensor hidden, targets;
  {
    const Stopwatch watch(seconds.forward);
    const auto batch = on_device(host_batch, device_);
    const auto memory = model->encode(batch.source, batch.source_mask);
    const auto decoded = model->decode(batch.target_input, memory, batch.source_mask);
    const auto rows = places_of_tokens(host_batch.target_mask, device_);
    hidden = real_rows(decoded, rows);
    targets = real_rows(batch.target_output, rows);
  }
  const Stopwatch watch(seconds.loss);
  const auto count = [&](const auto& loss) {
    tally.add(loss);
    return loss.sum;
  };
  const auto& layer = model->generator();
  return device_.is_cpu()
             ? count(generator_loss(hidden, layer->weight(), layer->bias(), targets, smoothing_))
             : count(device_loss(hidden, layer->weight(), layer->bias(), targets, smoothing_));
}

void DataParallel::train_on(std::int64_t worker, const Batch& batch, double scale,
                            LossTally& tally) {
  auto& seconds = worker_seconds_[static_cast<std::size_t>(worker)];
  const auto loss = loss_of(models_[static_cast<std::size_t>(worker)], batch, tally, seconds);
  const Stopwatch watch(seconds.backward);
  (loss * scale).backward();
}

PassSums DataParallel::accumulate(const UpdateData& update, std::uint64_t key) {
  std::vector<PassSums> sums(models_.size());
  const double scale = 1.0 / static_cast<double>(update.target_tokens);
  if (gradient_reducer_) gradient_reducer_->begin();
  round_weights();
  pool_.run([&](std::int64_t worker) {
    const auto w = static_cast<std::size_t>(worker);
    const auto& batches = update.shards[w];
    models_[w]->train();
    gradients_[w].zero_();
    const RandomScope random(mix(key, static_cast<std::uint64_t>(share_.first + worker)));
    LossTally tally;
    for (const auto& batch : batches) {
      if (gradient_reducer_) last_batch_[w] = &batch == &batches.back() ? 1 : 0;
      train_on(worker, batch, scale, tally);
    }
    sums[w] = tally.sums();
    if (gradient_reducer_ && batches.empty()) gradient_reducer_->skip_worker();
  });
  PassSums total;
  for (const auto& part : sums) total.add(part);
  sum_gradients(total);
  for (auto& part : worker_seconds_) {
    seconds_.forward += part.forward;
    seconds_.loss += part.loss;
    seconds_.backward += part.backward;
    part = {};
  }
  return total;
}

void DataParallel::sum_gradients(PassSums& total) {
  const Stopwatch watch(seconds_.optimizer);
  if (gradient_reducer_) {
    auto sums = numbers(total);
    gradient_reducer_->finish(sums);
    total = pass_sums(sums);
    return;
  }
  pool_.parallel_for(gradients_.front().size(0), [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t i = 1; i < gradients_.size(); ++i)
      gradients_.front().slice(0, begin, end).add_(gradients_[i].slice(0, begin, end));
  });
}

PassSums DataParallel::evaluate(const std::vector<Batch>& batches) {
  std::vector<std::array<double, 4>> sums(batches.size());
  round_weights();
  pool_.run([&](std::int64_t worker) {
    const torch::NoGradGuard no_gradients;
    auto& model = models_[static_cast<std::size_t>(worker)];
    model->eval();
    PartSeconds unused;
    for (auto i = static_cast<std::size_t>(share_.first + worker); i < batches.size();
         i += static_cast<std::size_t>(share_.all)) {
      LossTally tally;
      loss_of(model, batches[i], tally, unused);
      sums[i] = numbers(tally.sums());
    }
  });
  // Each batch was processed by one worker: the other ranks have zeros, and the sums are exact.
  if (group_ != nullptr && !sums.empty()) sum(*group_, {sums.front().data(), 4 * sums.size()});
  PassSums total;
  for (const auto& part : sums) total.add(pass_sums(part));
  return total;
}

}  // namespace dragoman
