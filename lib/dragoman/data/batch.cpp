#include "dragoman/data/batch.h"

#include "dragoman/core/error.h"

#include <torch/types.h>

#include <algorithm>

namespace dragoman {

namespace {

using Side = std::vector<std::int32_t> Example::*;

std::int64_t longest(std::span<const Example* const> examples, Side side) {
  std::size_t longest = 0;
  for (const auto* example : examples) longest = std::max(longest, (example->*side).size());
  return static_cast<std::int64_t>(longest);
}

/// Ids of one side, left-aligned, then `pad`.
at::Tensor rectangle(std::span<const Example* const> examples, Side side, std::int64_t pad) {
  const auto rows = static_cast<std::int64_t>(examples.size());
  const auto columns = longest(examples, side);
  auto ids = torch::full({rows, columns}, pad, torch::kInt64);
  auto* row = ids.mutable_data_ptr<std::int64_t>();
  for (const auto* example : examples) {
    std::copy((example->*side).begin(), (example->*side).end(), row);
    row += columns;
  }
  return ids;
}

at::Tensor real_tokens(std::span<const Example* const> examples, Side side) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(examples.size());
  for (const auto* example : examples)
    lengths.push_back(static_cast<std::int64_t>((example->*side).size()));
  const auto positions = torch::arange(longest(examples, side));
  return positions.unsqueeze(0) < torch::tensor(lengths, torch::kInt64).unsqueeze(1);
}

/// bos y1 .. yn for y1 .. yn eos: everything shifts one position to the right.
at::Tensor shift_right(const at::Tensor& target_output, std::int64_t bos) {
  auto input = torch::full_like(target_output, bos);
  const auto length = target_output.size(1);
  input.narrow(1, 1, length - 1).copy_(target_output.narrow(1, 0, length - 1));
  return input;
}

}  // namespace

Batch on_device(const Batch& batch, const at::Device& device) {
  if (device.is_cpu()) return batch;
  Batch moved = batch;
  for (auto* tensor : {&moved.source, &moved.source_mask, &moved.target_input, &moved.target_output,
                       &moved.target_mask})
    *tensor = tensor->pin_memory().to(device, /*non_blocking=*/true);
  return moved;
}

Batch make_batch(std::span<const Example* const> examples, const SpecialIds& source_special,
                 const SpecialIds& target_special) {
  if (examples.empty()) throw ContractError("make_batch: no examples");
  Batch batch;
  batch.source = rectangle(examples, &Example::source_ids, source_special.pad);
  batch.source_mask = real_tokens(examples, &Example::source_ids);
  batch.target_output = rectangle(examples, &Example::target_ids, target_special.pad);
  batch.target_mask = real_tokens(examples, &Example::target_ids);
  batch.target_input = shift_right(batch.target_output, target_special.bos);
  // The shift leaves an EOS at the first padding position of a shorter sentence: pad it like the
  // rest.
  batch.target_input.masked_fill_(batch.target_mask.logical_not(), target_special.pad);
  for (const auto* example : examples) {
    batch.source_tokens += static_cast<std::int64_t>(example->source_ids.size());
    batch.target_tokens += static_cast<std::int64_t>(example->target_ids.size());
  }
  return batch;
}

}  // namespace dragoman
