#include "dragoman/attention/past.h"

#include <algorithm>

namespace dragoman {

void Past::select_rows(const at::Tensor& rows) {
  tokens.select_rows(rows);
  sums.select_rows(rows);
  for (auto& group : groups) group.select_rows(rows);
}

std::int64_t Past::rows() const {
  return groups.empty() ? std::max(tokens.rows(), sums.rows()) : groups.front().rows();
}

}  // namespace dragoman
