#include "dragoman/attention/longformer.h"

namespace dragoman {

/// One in `dilation` keys of the dilated window is also in the local one.
double LongformerPattern::keys_per_query(double len) const {
  return near_.keys_per_query(len) +
         far_.keys_per_query(len) * (1.0 - 1.0 / static_cast<double>(dilation_));
}

KeySubsets LongformerPattern::subsets(std::int64_t len, bool causal) const {
  auto subsets = near_.subsets(len, causal);
  auto shape = window_shape(radius_, (len + dilation_ - 1) / dilation_, causal);
  shape.step = dilation_;
  const auto only_far = [near = near_, far = far_](std::int64_t i, std::int64_t j) {
    return far.allows(i, j) && !near.allows(i, j);
  };
  subsets.push_back(std::make_shared<BlockedKeys>(shape, only_far));
  return subsets;
}

}  // namespace dragoman
