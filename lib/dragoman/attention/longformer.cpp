#include "dragoman/attention/longformer.h"

namespace dragoman {

namespace {

PositionRule either_window(const LocalPattern& near, const LocalPattern& far) {
  return position_rule([near = near.rule(), far = far.rule()](const auto& query, const auto& key) {
    return near(query, key) | far(query, key);
  });
}

}  // namespace

LongformerPattern::LongformerPattern(std::int64_t radius, std::int64_t dilation)
    : Pattern(either_window(LocalPattern(radius), LocalPattern(radius, dilation))),
      near_(radius),
      far_(radius, dilation) {}

KeySubsets LongformerPattern::subsets(std::int64_t len, bool causal) const {
  auto subsets = near_.subsets(len, causal);
  const auto only_far =
      position_rule([near = near_.rule(), far = far_.rule()](const auto& query, const auto& key) {
        return far(query, key) & not_so(near(query, key));
      });
  subsets.push_back(std::make_shared<BlockedKeys>(far_.shape(len, causal), only_far));
  return subsets;
}

}  // namespace dragoman
