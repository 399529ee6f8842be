#pragma once

#include <cstdint>

namespace dragoman {

/// Rows of the vocabulary matrices.
struct VocabularySizes {
  std::int64_t source = 0;
  std::int64_t target = 0;
};

}  // namespace dragoman
