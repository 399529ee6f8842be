#include "dragoman/distributed/gradient_reducer.h"

#include "dragoman/core/error.h"

#include <torch/types.h>

namespace dragoman {

namespace {

/// Size in bytes at which a bucket is full: large enough for network throughput, small enough to be
/// sent early.
constexpr std::int64_t bucket_bytes = 2 << 20;

void start_sum_of(Communicator& group, const at::Tensor& flat, const ParameterRange& range,
                  std::int64_t channel) {
  const auto size = static_cast<std::size_t>(range.size);
  if (flat.scalar_type() == torch::kFloat64) {
    group.start_sum(std::span(flat.data_ptr<double>() + range.offset, size), channel);
  } else {
    group.start_sum(std::span(flat.data_ptr<float>() + range.offset, size), channel);
  }
}

}  // namespace

GradientReducer::GradientReducer(Communicator& group, std::vector<at::Tensor> gradients,
                                 const std::vector<ParameterRange>& parameters,
                                 std::unique_ptr<DeviceSum> devices)
    : group_(group),
      gradients_(std::move(gradients)),
      bucket_of_(parameters.size()),
      devices_(std::move(devices)) {
  const auto& flat = gradients_.front();
  const auto number_bytes = static_cast<std::int64_t>(flat.element_size());
  std::int64_t end = flat.size(0);
  for (auto i = parameters.size(); i-- > 0;) {
    if (buckets_.empty() || buckets_.back()->range.size * number_bytes >= bucket_bytes)
      buckets_.push_back(std::make_unique<Bucket>(ParameterRange{end, 0}));
    auto& bucket = *buckets_.back();
    bucket.range.size += end - parameters[i].offset;
    bucket.range.offset = end = parameters[i].offset;
    ++bucket.parameters;
    bucket_of_[i] = buckets_.size() - 1;
  }
  if (end != 0)
    throw ContractError("GradientReducer: the parameters do not cover the vector in order");
  if (flat.device().is_cpu() || devices_) return;
  if (gradients_.size() > 1)
    throw ContractError("GradientReducer: gradients on a device are of one worker");
  host_ = torch::empty(flat.sizes(), flat.options().device(torch::kCPU).pinned_memory(true));
}

GradientReducer::~GradientReducer() {
  static auto& kept = *new std::vector<std::vector<at::Tensor>>();  // never freed
  if (unfinished_) kept.push_back(std::move(gradients_));
}

void GradientReducer::begin() {
  unfinished_ = true;
  next_ = 0;
  for (auto& bucket : buckets_) {
    bucket->missing = bucket->parameters * static_cast<std::int64_t>(gradients_.size());
    bucket->started = false;
  }
}

void GradientReducer::ready(std::size_t parameter) {
  const auto place = bucket_of_[parameter];
  if (--buckets_[place]->missing > 0 || host_.defined()) return;
  if (devices_)
    start_on_devices(/*all=*/false);
  else
    start(place);
}

void GradientReducer::skip_worker() {
  for (std::size_t i = 0; i < bucket_of_.size(); ++i) ready(i);
}

void GradientReducer::add_workers(const ParameterRange& range) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t worker = 1; worker < gradients_.size(); ++worker)
    gradients_.front()
        .narrow(0, range.offset, range.size)
        .add_(gradients_[worker].narrow(0, range.offset, range.size));
}

void GradientReducer::start(std::size_t place) {
  auto& bucket = *buckets_[place];
  if (bucket.started.exchange(true)) return;
  add_workers(bucket.range);
  start_sum_of(group_, gradients_.front(), bucket.range, static_cast<std::int64_t>(place));
}

void GradientReducer::start_on_devices(bool all) {
  // Devices match sums only by their order, and a rank without data is ready in another order.
  const std::lock_guard lock(order_);
  for (; next_ < buckets_.size() && (all || buckets_[next_]->missing == 0); ++next_) {
    const auto& range = buckets_[next_]->range;
    add_workers(range);
    devices_->start(gradients_.front().narrow(0, range.offset, range.size));
  }
}

void GradientReducer::finish(std::span<double> others) {
  if (devices_)
    sum_on_devices();
  else if (host_.defined())
    sum_on_host();
  else
    for (std::size_t i = 0; i < buckets_.size(); ++i) start(i);
  // Nothing throws from here on: `others` may end with the caller's stack.
  group_.start_sum(others, static_cast<std::int64_t>(buckets_.size()));
  group_.wait();
  unfinished_ = false;
}

void GradientReducer::sum_on_devices() {
  start_on_devices(/*all=*/true);
  devices_->finish();
}

void GradientReducer::sum_on_host() {
  host_.copy_(gradients_.front());
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    start_sum_of(group_, host_, buckets_[i]->range, static_cast<std::int64_t>(i));
  group_.wait();
  gradients_.front().copy_(host_);
}

}  // namespace dragoman
