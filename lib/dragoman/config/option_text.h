#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <type_traits>

namespace dragoman {

/// The name of a choice, as options write it: "bf16" for `WeightType::bf16`.
template <typename Choice>
  requires std::is_enum_v<Choice>
std::string option_text(Choice choice) {
  return nlohmann::json(choice).template get<std::string>();
}

}  // namespace dragoman
