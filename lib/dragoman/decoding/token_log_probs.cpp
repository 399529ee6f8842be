#include "dragoman/decoding/token_log_probs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dragoman {

namespace {

/// Rows whose logits are in memory together: on a CPU few enough to stay in the cache, on a GPU
/// enough to keep it busy.
std::int64_t rows_at_once(const at::Device& device, std::int64_t vocab_size) {
  constexpr std::int64_t most_logits = std::int64_t{1} << 27;
  return device.is_cpu() ? 64 : std::max<std::int64_t>(most_logits / vocab_size, 1);
}

}  // namespace

TokenLogProbs token_log_probs(const at::Tensor& hidden, const at::Tensor& tokens,
                              std::int64_t vocab_size,
                              const std::function<at::Tensor(const at::Tensor&)>& logits_of) {
  const auto at_once = rows_at_once(hidden.device(), vocab_size);
  const auto rows = at::split(hidden.flatten(0, 1), at_once);
  const auto places = at::split(tokens.flatten().unsqueeze(1), at_once);
  std::vector<at::Tensor> given, most_probable;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto logits = logits_of(rows[i]);
    given.push_back(at::log_softmax(logits, -1, at::kFloat).gather(-1, places[i]));
    most_probable.push_back(logits.argmax(-1, /*keepdim=*/true).eq(places[i]));
  }
  return {at::cat(given).view(tokens.sizes()).cpu(),
          at::cat(most_probable).view(tokens.sizes()).cpu()};
}

}  // namespace dragoman
