#include "dragoman/inference/inference_model.h"

#include "dragoman/core/error.h"

namespace dragoman {

std::vector<std::vector<std::int32_t>> decoder_inputs(Sentences targets, std::int64_t bos) {
  std::vector<std::vector<std::int32_t>> inputs;
  for (const auto target : targets) {
    if (target.empty()) throw ContractError("inference: a target is empty; end it with EOS");
    auto& input = inputs.emplace_back(1, static_cast<std::int32_t>(bos));
    input.insert(input.end(), target.begin(), target.end() - 1);
  }
  return inputs;
}

}  // namespace dragoman
