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

}  // namespace

void DecoderState::select_rows(const at::Tensor& rows) {
  if (layers.empty() || length == 0) return;
  const auto& first = layers.front();
  if (keeps_order(rows, std::max(first.past.rows(), first.recurrence.rows()))) return;
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
