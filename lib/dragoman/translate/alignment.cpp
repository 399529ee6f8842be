#include "dragoman/translate/alignment.h"

#include "dragoman/data/batch.h"
#include "dragoman/model/attention_record.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

/// The decoder's input for generating `targets`: BOS in front, without the last token.
std::vector<std::vector<std::int32_t>> shifted(std::span<const std::vector<std::int32_t>> targets,
                                               std::int64_t bos) {
  std::vector<std::vector<std::int32_t>> inputs;
  for (const auto& target : targets) {
    auto& input = inputs.emplace_back(1, static_cast<std::int32_t>(bos));
    if (!target.empty()) input.insert(input.end(), target.begin(), target.end() - 1);
  }
  return inputs;
}

/// \param weights [target_len, source_len] float32 of one pair
std::vector<AlignmentLink> strongest_links(const at::TensorAccessor<float, 2>& weights,
                                           std::int64_t source_pieces, std::int64_t target_pieces) {
  std::vector<AlignmentLink> links;
  if (source_pieces == 0) return links;
  for (std::int64_t j = 0; j < target_pieces; ++j) {
    const auto* row = weights[j].data();
    links.push_back({std::max_element(row, row + source_pieces) - row, j});
  }
  return links;
}

/// The last layer's encoder-decoder attention, the mean of its heads.
/// \return [pairs, target_len, source_len] float32, on the CPU
at::Tensor memory_attention(Transformer model, const PaddedIds& source, const at::Tensor& inputs) {
  const auto device = model->parameters().front().device();
  const auto mask = source.mask.to(device);
  AttentionRecord record;
  model->decode(inputs.to(device), model->encode(source.ids.to(device), mask), mask, &record);
  return model->mean_of_heads(record.decoder_memory.back()).to(at::kCPU, at::kFloat);
}

std::int64_t pieces_before_eos(const std::vector<std::int32_t>& ids, std::int64_t eos) {
  return std::ssize(ids) - (!ids.empty() && ids.back() == eos ? 1 : 0);
}

}  // namespace

std::vector<std::vector<AlignmentLink>> align(std::span<const Transformer> models,
                                              std::span<const std::vector<std::int32_t>> sources,
                                              std::span<const std::vector<std::int32_t>> targets,
                                              const SpecialIds& source_special,
                                              const SpecialIds& target_special) {
  const auto source = pad_rows(sources, source_special.pad);
  const auto inputs = pad_rows(shifted(targets, target_special.bos), target_special.pad);
  at::Tensor sum;
  for (const auto& model : models) {
    const auto weights = memory_attention(model, source, inputs.ids);
    sum = sum.defined() ? sum + weights : weights;
  }
  const auto weights = sum.contiguous();
  const auto by_pair = weights.accessor<float, 3>();
  std::vector<std::vector<AlignmentLink>> links;
  for (std::size_t i = 0; i < sources.size(); ++i)
    links.push_back(strongest_links(by_pair[static_cast<std::int64_t>(i)],
                                    pieces_before_eos(sources[i], source_special.eos),
                                    pieces_before_eos(targets[i], target_special.eos)));
  return links;
}

}  // namespace dragoman
