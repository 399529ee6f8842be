#pragma once

#include "dragoman/attention/attention_mask.h"
#include "dragoman/attention/key_value.h"
#include "dragoman/attention/past.h"
#include "dragoman/model/recurrent_state.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// The state of step-by-step decoding. Rows are sentence-major: row = sentence * beam + b. Keys and
/// values of the memory are kept once per sentence, those of previous positions once per row.
struct DecoderState {
  struct Layer {
    Past past = {};                  ///< self-attention: each row's `length` positions
    RecurrentState recurrence = {};  ///< in place of self-attention: one per row
    KeyValue memory = {};            ///< encoder-decoder attention: keys [sentences, num_heads,
                                     ///< source_len, d_k], values [.., d_v]
  };
  std::vector<Layer> layers;
  AttentionMask memory_mask;  ///< [sentences, 1, 1, source_len]
  std::int64_t length = 0;    ///< tokens seen so far

  /// Reorders, repeats or drops rows: new row i continues old row rows[i]. The number of rows must
  /// remain a multiple of the number of sentences.
  /// \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  /// Keeps only the memory of these sentences; must be accompanied by `select_rows` with their
  /// rows.
  /// \param sentences [kept] int64
  void select_sentences(const at::Tensor& sentences);
};

}  // namespace dragoman
