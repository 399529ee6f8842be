#include "dragoman/data/batch.h"

#include "dragoman/core/error.h"

#include <torch/types.h>

#include <algorithm>

namespace dragoman {

namespace {

using Row = std::span<const std::int32_t>;

/// One side of each example. \return the same as `pad_rows`
PaddedIds pad_side(std::span<const Example* const> examples,
                   std::vector<std::int32_t> Example::* side, std::int64_t pad) {
  std::vector<Row> rows;
  rows.reserve(examples.size());
  for (const auto* example : examples) rows.emplace_back(example->*side);
  return pad_rows(rows, pad);
}

/// bos y1 .. yn for y1 .. yn eos: everything shifts one position to the right.
at::Tensor shift_right(const at::Tensor& target_output, std::int64_t bos) {
  auto input = torch::full_like(target_output, bos);
  const auto length = target_output.size(1);
  input.narrow(1, 1, length - 1).copy_(target_output.narrow(1, 0, length - 1));
  return input;
}

/// The batch with `change` of each tensor.
template <typename Change>
Batch with_tensors(Batch batch, const Change& change) {
  for (auto* tensor : {&batch.source, &batch.source_mask, &batch.target_input, &batch.target_output,
                       &batch.target_mask, &batch.target_places})
    *tensor = change(*tensor);
  return batch;
}

}  // namespace

PaddedIds pad_rows(std::span<const Row> rows, std::int64_t pad) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  const auto shape = {std::ssize(rows), static_cast<std::int64_t>(longest)};
  PaddedIds padded{torch::full(shape, pad, torch::kInt64), torch::zeros(shape, torch::kBool)};
  auto* ids = padded.ids.mutable_data_ptr<std::int64_t>();
  auto* mask = padded.mask.mutable_data_ptr<bool>();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), ids);
    std::fill_n(mask, row.size(), true);
    ids += longest;
    mask += longest;
  }
  return padded;
}

PaddedIds pad_rows(std::span<const std::vector<std::int32_t>> rows, std::int64_t pad) {
  return pad_rows(std::vector<Row>(rows.begin(), rows.end()), pad);
}

Batch pinned(const Batch& batch) {
  return with_tensors(batch, [](const at::Tensor& x) { return x.pin_memory(); });
}

Batch on_device(const Batch& batch, const at::Device& device) {
  if (device.is_cpu()) return batch;
  const bool waits = !device.is_cuda();
  return with_tensors(batch, [&](const at::Tensor& x) {
    return (waits || x.is_pinned() ? x : x.pin_memory()).to(device, /*non_blocking=*/!waits);
  });
}

Batch with_multiple_of(std::int64_t multiple, const Batch& batch) {
  const auto count = batch.target_input.size(0);
  const auto more = (multiple - count % multiple) % multiple;
  if (more == 0) return batch;
  const auto extended = [&](const at::Tensor& x, double value) {
    return at::constant_pad_nd(x, {0, 0, 0, more}, value);
  };
  auto result = batch;
  result.source = extended(batch.source, 0);
  result.source_mask = extended(batch.source_mask, 1);
  result.target_input = extended(batch.target_input, 0);
  result.target_output = extended(batch.target_output, 0);
  result.target_mask = extended(batch.target_mask, 0);
  return result;
}

Batch make_batch(std::span<const Example* const> examples, const SpecialIds& source_special,
                 const SpecialIds& target_special) {
  if (examples.empty()) throw ContractError("make_batch: no examples");
  Batch batch;
  const auto source = pad_side(examples, &Example::source_ids, source_special.pad);
  const auto target = pad_side(examples, &Example::target_ids, target_special.pad);
  batch.source = source.ids;
  batch.source_mask = source.mask;
  batch.target_output = target.ids;
  batch.target_mask = target.mask;
  batch.target_places = batch.target_mask.flatten().nonzero().squeeze(1);
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

Batch make_batch(const Example& example, const SpecialIds& source_special,
                 const SpecialIds& target_special) {
  const auto* chosen = &example;
  return make_batch(std::span(&chosen, 1), source_special, target_special);
}

Batch make_batch(std::span<const Example> examples, std::span<const std::uint32_t> indices,
                 const SpecialIds& source_special, const SpecialIds& target_special) {
  std::vector<const Example*> chosen;
  for (const auto index : indices) chosen.push_back(&examples[index]);
  return make_batch(chosen, source_special, target_special);
}

}  // namespace dragoman
