#pragma once

#include "dragoman/report/attention_map.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman {

/// One head of a model.
struct HeadPlace {
  AttentionPart kind = AttentionPart::encoder;
  std::int64_t layer = 0;  ///< from 0
  std::int64_t head = 0;   ///< from 0

  auto operator<=>(const HeadPlace&) const = default;
};

/// "cross 1.3": layer and head counted from 1.
std::string name_of(const HeadPlace& place);

/// The inverse; a colon may replace the space. \throws OptionsError for another text.
HeadPlace head_place(std::string_view text);

}  // namespace dragoman
