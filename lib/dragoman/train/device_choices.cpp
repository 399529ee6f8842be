#include "dragoman/train/device_choices.h"

#include "dragoman/config/option_text.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/run/model_file.h"
#include "dragoman/tensor/device.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>

namespace dragoman {

namespace {

constexpr std::int64_t tokens_on_cpu = 4096, tokens_on_gpu = 25000;

/// How much is multiplied to compare two types.
struct Work {
  std::int64_t rows;
  int products;
};

/// On a GPU so much for bf16 that its time counts and not the host's; float64 is slow there.
Work work_for(const c10::Device& device, at::ScalarType type) {
  if (device.is_cpu() || type == torch::kFloat64) return {.rows = 512, .products = 1};
  return {.rows = 16384, .products = 20};
}

/// The shortest of a few times of products as wide as the model's feed-forward network.
double seconds_of_products(const ModelOptions& model, const c10::Device& device,
                           at::ScalarType type, const Work& work) {
  const torch::NoGradGuard no_gradient;
  const auto x = torch::ones({work.rows, model.d_model}, torch::device(device).dtype(type));
  const auto weight = torch::ones({model.d_ff, model.d_model}, x.options());
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    double seconds = 0.0;
    // Reading the result waits for the GPU.
    timed(seconds, [&] {
      at::Tensor y;
      for (int product = 0; product < work.products; ++product) y = at::linear(x, weight);
      return y[0][0].item<float>();
    });
    shortest = std::min(shortest, seconds);
  }
  return shortest;
}

double time_against_float32(const ModelOptions& model, const c10::Device& device,
                            at::ScalarType type) {
  const auto work = work_for(device, type);
  return seconds_of_products(model, device, type, work) /
         seconds_of_products(model, device, torch::kFloat32, work);
}

/// arm64 is left out: it was never measured.
bool cpu_has_bf16() {
#ifdef __x86_64__
  return has_instructions_for(WeightType::bf16);
#else
  return false;
#endif
}

Precision precision_for(const ModelOptions& model, const c10::Device& device) {
  const bool bf16 = device.is_cpu() ? cpu_has_bf16()
                                    : time_against_float32(model, device, torch::kBFloat16) < 0.8;
  const char* const why =
      device.is_cpu() ? (bf16 ? "bf16, for which this processor has instructions"
                              : "float32, since this processor has no instructions for bf16")
                      : (bf16 ? "bf16, which is faster on this device"
                              : "float32, since bf16 is not much faster on this device");
  log_info(concat("train.precision=auto: ", why));
  return bf16 ? Precision::bf16 : Precision::float32;
}

void warn_if_slower(const ModelOptions& model, const c10::Device& device, Precision precision) {
  const bool bf16 = precision == Precision::bf16;
  if (bf16 && device.is_cpu() && cpu_has_bf16()) return;
  const double times =
      time_against_float32(model, device, bf16 ? torch::kBFloat16 : torch::kFloat64);
  if (times < 1.1) return;
  log_warning(
      slow_products_text("train.precision=" + option_text(precision), times, bf16 ? "device" : ""));
}

std::int64_t batch_tokens_for(const c10::Device& device) {
  const auto tokens = device.is_cpu() ? tokens_on_cpu : tokens_on_gpu;
  log_info(concat("train.batch_tokens=0: batches of ", grouped(tokens),
                  device.is_cpu() ? " tokens, for a CPU" : " tokens, for a GPU"));
  return tokens;
}

}  // namespace

RunOptions with_device_choices(const RunOptions& options,
                               const std::optional<Checkpoint>& checkpoint) {
  return with_choices_for(find_device(options.train.device), options, checkpoint);
}

RunOptions with_choices_for(const c10::Device& device, RunOptions options,
                            const std::optional<Checkpoint>& checkpoint) {
  auto& precision = options.train.precision;
  auto& batch_tokens = options.train.batch_tokens;
  if (checkpoint) {
    const auto of_run = read_stored_options(checkpoint->path / config_file).train;
    if (precision == Precision::automatic) precision = of_run.precision;
    if (batch_tokens == 0) batch_tokens = of_run.batch_tokens;
  }
  if (precision == Precision::automatic)
    precision = precision_for(options.model, device);
  else if (precision != Precision::float32)
    warn_if_slower(options.model, device, precision);
  if (batch_tokens == 0) batch_tokens = batch_tokens_for(device);
  return options;
}

}  // namespace dragoman
