#include "dragoman/train/device_choices.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/run/model_file.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/precision_choice.h"

namespace dragoman {

namespace {

constexpr std::int64_t tokens_on_cpu = 4096, tokens_on_gpu = 25000;

}  // namespace

std::int64_t chosen_batch_tokens(const RunOptions& options, const c10::Device& device,
                                 const std::optional<Checkpoint>& checkpoint) {
  auto tokens = options.train.batch_tokens;
  if (tokens == 0 && checkpoint)
    tokens = read_stored_options(checkpoint->path / config_file).train.batch_tokens;
  if (tokens > 0) return tokens;
  tokens = device.is_cpu() ? tokens_on_cpu : tokens_on_gpu;
  log_info(concat("train.batch_tokens=0: batches of ", grouped(tokens),
                  device.is_cpu() ? " tokens, for a CPU" : " tokens, for a GPU"));
  return tokens;
}

RunOptions with_device_choices(RunOptions options, const std::optional<Checkpoint>& checkpoint) {
  options.train.precision = chosen_precision(options, checkpoint);
  options.train.batch_tokens =
      chosen_batch_tokens(options, find_device(options.train.device), checkpoint);
  return options;
}

}  // namespace dragoman
