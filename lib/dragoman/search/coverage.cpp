#include "dragoman/search/coverage.h"

#include <ATen/ATen.h>

namespace dragoman {

std::vector<double> log_coverage(const at::Tensor& attention, const at::Tensor& source_mask) {
  const auto sentences = source_mask.size(0), source_len = source_mask.size(1);
  const auto covered = attention.to(at::kDouble).clamp(1e-30, 1.0).log();
  const auto sums = covered.view({sentences, -1, source_len})
                        .masked_fill(source_mask.logical_not().unsqueeze(1), 0.0)
                        .sum(-1)
                        .flatten()
                        .cpu();
  const auto* first = sums.const_data_ptr<double>();
  return {first, first + sums.numel()};
}

}  // namespace dragoman
