#pragma once

#include "dragoman/attention/attention_mask.h"
#include "dragoman/attention/key_value.h"
#include "dragoman/attention/past.h"
#include "dragoman/model/recurrent_state.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// What step-by-step decoding remembers. Rows are sentence-major: row = sentence * beam + b.
/// Keys and values of the memory are kept once for each sentence, those of the past for each row.
struct DecoderState {
  struct Layer {
    Past past = {};                  ///< self-attention: of each row's `length` positions
    RecurrentState recurrence = {};  ///< in its place: of each row
    KeyValue memory = {};  ///< encoder-decoder attention: [sentences, num_heads, source_len, d_k]
  };
  std::vector<Layer> layers;
  AttentionMask memory_mask;  ///< of [sentences, 1, 1, source_len]
  std::int64_t length = 0;    ///< tokens seen so far

  /// Reorders (or repeats, or drops) the rows of the past: new row i continues old row rows[i].
  /// The number of rows stays a multiple of the number of sentences.
  /// \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  /// Keeps these sentences' memory only; `select_rows` with their rows goes with it.
  /// \param sentences [kept] int64
  void select_sentences(const at::Tensor& sentences);
};

}  // namespace dragoman
