#include "dragoman/model/decoder_state.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

/// True if row i continues row i for all `old_rows`. On a GPU this test costs more than a copy.
bool keeps_order(const at::Tensor& rows, std::int64_t old_rows) {
  return rows.is_cpu() && rows.size(0) == old_rows &&
         at::equal(rows, at::arange(old_rows, rows.options()));
}

/// Rows of the layers that keep a state, the same in each; a layer without heads keeps none.
std::int64_t row_count(const std::vector<DecoderState::Layer>& layers) {
  std::int64_t rows = 0;
  for (const auto& layer : layers)
    rows = std::max({rows, layer.past.rows(), layer.recurrence.rows()});
  return rows;
}

}  // namespace

void DecoderState::select_rows(const at::Tensor& rows) {
  if (length == 0 || keeps_order(rows, row_count(layers))) return;
  for (auto& layer : layers) {
    layer.past.select_rows(rows);
    layer.recurrence.select_rows(rows);
  }
}

void DecoderState::select_sentences(const at::Tensor& sentences) {
  for (auto& layer : layers) {
    if (!layer.memory.key.defined()) continue;
    layer.memory.key = layer.memory.key.index_select(0, sentences);
    layer.memory.value = layer.memory.value.index_select(0, sentences);
  }
  memory_mask.select_sentences(sentences);
}

}  // namespace dragoman
