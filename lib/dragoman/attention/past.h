#pragma once

#include "dragoman/attention/key_value_cache.h"
#include "dragoman/attention/running_sums.h"

#include <vector>

namespace dragoman {

/// The state of step-by-step decoding for one attention. Each kind uses the part that it needs.
struct Past {
  KeyValueCache tokens;      ///< keys and values of each token
  RunningSums sums;          ///< of all tokens together: linear attention
  std::vector<Past> groups;  ///< one per group of heads, if heads differ

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t rows() const;  ///< 0 before the first token
};

}  // namespace dragoman
