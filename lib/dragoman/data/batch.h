#pragma once

#include "dragoman/text/example.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Rows of ids as a rectangle.
struct PaddedIds {
  at::Tensor ids;   ///< [rows, longest] int64, `pad` after each row's end
  at::Tensor mask;  ///< [rows, longest] bool, true = a real token
};

/// Left-aligns rows of ids. \param rows at least one; any of them may be empty
PaddedIds pad_rows(std::span<const std::span<const std::int32_t>> rows, std::int64_t pad);
PaddedIds pad_rows(std::span<const std::vector<std::int32_t>> rows, std::int64_t pad);

/// Sentence pairs padded to equal length and shifted for teacher forcing (section 3.1, figure 1).
struct Batch {
  at::Tensor source;               ///< [batch, source_len] int64
  at::Tensor source_mask;          ///< [batch, source_len] bool, true = a real token
  at::Tensor target_input;         ///< [batch, target_len] int64: bos y1 .. yn
  at::Tensor target_output;        ///< [batch, target_len] int64: y1 .. yn eos, then `pad`
  at::Tensor target_mask;          ///< [batch, target_len] bool, true = a real token
  at::Tensor target_places;        ///< [target_tokens] int64: the real tokens' places in the
                                   ///< flattened `target_output`
  std::int64_t source_tokens = 0;  ///< real tokens, EOS included
  std::int64_t target_tokens = 0;  ///< real tokens, EOS included
};

/// The same batch in page-locked memory, from which a GPU copies while both it and the host go on.
/// \param batch on the host of a GPU
Batch pinned(const Batch& batch);

/// The same batch on `device`; returned as is if that is the CPU. A GPU copies it while the host
/// goes on.
Batch on_device(const Batch& batch, const at::Device& device);

/// The batch with sentences added at its end until `multiple` divides their number. No
/// `target_places` name them, and the counts of tokens do not include them.
Batch with_multiple_of(std::int64_t multiple, const Batch& batch);

/// Pads, masks and shifts.
/// \param examples at least one; sources are empty for all or for none, targets are never empty
/// \throws ContractError without examples
Batch make_batch(std::span<const Example* const> examples, const SpecialIds& source_special,
                 const SpecialIds& target_special);

/// The same of one example.
Batch make_batch(const Example& example, const SpecialIds& source_special,
                 const SpecialIds& target_special);

/// The same of the examples at some indices.
Batch make_batch(std::span<const Example> examples, std::span<const std::uint32_t> indices,
                 const SpecialIds& source_special, const SpecialIds& target_special);

}  // namespace dragoman
