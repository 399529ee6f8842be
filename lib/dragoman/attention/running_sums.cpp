#include "dragoman/attention/running_sums.h"

#include <ATen/ATen.h>

namespace dragoman {

void RunningSums::add(const at::Tensor& features, const at::Tensor& value) {
  const auto product = at::matmul(features.transpose(2, 3), value);
  s = s.defined() ? s + product : product;
  z = z.defined() ? z + features.squeeze(2) : features.squeeze(2);
}

void RunningSums::select_rows(const at::Tensor& rows) {
  if (!z.defined()) return;
  s = s.index_select(0, rows);
  z = z.index_select(0, rows);
}

}  // namespace dragoman
