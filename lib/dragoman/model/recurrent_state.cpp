#include "dragoman/model/recurrent_state.h"

#include <ATen/ATen.h>

namespace dragoman {

void RecurrentState::select_rows(const at::Tensor& rows) {
  if (!hidden.defined()) return;
  hidden = hidden.index_select(0, rows);
  if (cell.defined()) cell = cell.index_select(0, rows);
}

}  // namespace dragoman
