#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// One sentence pair as pieces; both sides end with EOS.
struct Example {
  std::vector<std::int32_t> source_ids;
  std::vector<std::int32_t> target_ids;
};

/// Sentence pairs padded to rectangles, shifted for teacher forcing (section 3.1, figure 1).
struct Batch {
  at::Tensor source;         ///< [batch, source_len] int64
  at::Tensor source_mask;    ///< [batch, source_len] bool, true = a real token
  at::Tensor target_input;   ///< [batch, target_len] int64: bos y1 .. yn
  at::Tensor target_output;  ///< [batch, target_len] int64: y1 .. yn eos, `pad` behind
  at::Tensor target_mask;    ///< [batch, target_len] bool, true = a real token
  std::int64_t source_tokens = 0;  ///< real tokens, EOS included
  std::int64_t target_tokens = 0;  ///< real tokens, EOS included
};

/// Ids the model has to know apart from text.
struct SpecialIds {
  std::int64_t pad = 0;  ///< only fills; masks go by length
  std::int64_t unk = 1;
  std::int64_t bos = 2;
  std::int64_t eos = 3;
};

/// Pads, masks and shifts.
/// \param examples at least one, no side empty
Batch make_batch(std::span<const Example* const> examples, const SpecialIds& special);

}  // namespace dragoman
