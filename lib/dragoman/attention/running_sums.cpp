#include "dragoman/attention/running_sums.h"

#include <ATen/ATen.h>

namespace dragoman {

void RunningSums::add(const at::Tensor& features, const at::Tensor& value) {
  const auto product = at::matmul(features.transpose(2, 3), value);
  products = products.defined() ? products + product : product;
  keys = keys.defined() ? keys + features.squeeze(2) : features.squeeze(2);
}

void RunningSums::select_rows(const at::Tensor& rows) {
  if (!keys.defined()) return;
  products = products.index_select(0, rows);
  keys = keys.index_select(0, rows);
}

}  // namespace dragoman
