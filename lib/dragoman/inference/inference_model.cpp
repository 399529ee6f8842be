#include "dragoman/inference/inference_model.h"

namespace dragoman {

std::vector<std::vector<std::int32_t>> decoder_inputs(Sentences targets, std::int64_t bos) {
  std::vector<std::vector<std::int32_t>> inputs;
  for (const auto target : targets) {
    auto& input = inputs.emplace_back(1, static_cast<std::int32_t>(bos));
    if (!target.empty()) input.insert(input.end(), target.begin(), target.end() - 1);
  }
  return inputs;
}

}  // namespace dragoman
