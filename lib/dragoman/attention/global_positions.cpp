#include "dragoman/attention/global_positions.h"

#include "dragoman/core/error.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <set>

namespace dragoman {

namespace {

using Found = std::vector<std::set<std::int64_t>>;

/// Number of tokens of each sentence, up to the last real one.
std::vector<std::int64_t> sentence_lengths(std::int64_t len, const at::Tensor& key_mask) {
  if (!key_mask.defined()) return {len};
  const auto real = key_mask.to(at::kCPU).to(at::kLong);
  const auto ends = (real * at::arange(1, len + 1, at::kLong)).amax(1).contiguous();
  const auto* first = ends.const_data_ptr<std::int64_t>();
  return {first, first + ends.size(0)};
}

void add_tokens(Found& found, const std::vector<std::int64_t>& wanted, const at::Tensor& tokens) {
  const auto ids = tokens.to(at::kCPU).contiguous();
  const auto len = ids.size(1);
  found.resize(static_cast<std::size_t>(ids.size(0)), found.front());
  for (std::size_t sentence = 0; sentence < found.size(); ++sentence)
    for (std::int64_t t = 0; t < len; ++t) {
      const auto id =
          ids.const_data_ptr<std::int64_t>()[static_cast<std::int64_t>(sentence) * len + t];
      if (std::count(wanted.begin(), wanted.end(), id) > 0) found[sentence].insert(t);
    }
}

at::Tensor as_tensor(const Found& found) {
  std::size_t count = 0;
  for (const auto& sentence : found) count = std::max(count, sentence.size());
  auto table = at::full({static_cast<std::int64_t>(found.size()), static_cast<std::int64_t>(count)},
                        -1, at::kLong);
  for (std::size_t b = 0; b < found.size(); ++b)
    std::copy(found[b].begin(), found[b].end(), table.mutable_data_ptr<std::int64_t>() + b * count);
  return table;
}

}  // namespace

bool GlobalPositions::has(std::int64_t t) const {
  return std::count(positions.begin(), positions.end(), t) > 0;
}

at::Tensor GlobalPositions::find(std::int64_t len, const AttentionMask& mask) const {
  const bool from_end = std::any_of(positions.begin(), positions.end(),
                                    [](std::int64_t position) { return position < 0; });
  Found found;
  for (const auto length : sentence_lengths(len, from_end ? mask.key_mask : at::Tensor())) {
    found.emplace_back();
    for (const auto position : positions) {
      const auto t = position < 0 ? length + position : position;
      if (t >= 0 && t < length) found.back().insert(t);
    }
  }
  if (!tokens.empty()) {
    if (!mask.tokens.defined())
      throw ContractError("attention: global_tokens needs the tokens; pass them in the mask");
    add_tokens(found, tokens, mask.tokens);
  }
  return as_tensor(found);
}

}  // namespace dragoman
