#pragma once

#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// One sentence and its translation: UTF-8 without a line end, an empty text where the line is
/// blank.
struct LinePair {
  std::string source;
  std::string target;
};

/// One sentence pair as pieces; both sides end with EOS.
struct Example {
  std::vector<std::int32_t> source_ids;
  std::vector<std::int32_t> target_ids;
};

}  // namespace dragoman
