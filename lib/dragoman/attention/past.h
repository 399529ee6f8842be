#pragma once

#include "dragoman/attention/key_value_cache.h"
#include "dragoman/attention/running_sums.h"

#include <vector>

namespace dragoman {

/// What step-by-step decoding remembers of the tokens seen so far, for one attention. Each kind
/// fills the part that it needs.
struct Past {
  KeyValueCache tokens;      ///< keys and values of each token
  RunningSums sums;          ///< of all tokens together: linear attention
  std::vector<Past> groups;  ///< one for each group of heads, where heads differ

  /// New row i continues old row rows[i]. \param rows [new_rows] int64
  void select_rows(const at::Tensor& rows);

  std::int64_t rows() const;  ///< 0 before the first token
};

}  // namespace dragoman
