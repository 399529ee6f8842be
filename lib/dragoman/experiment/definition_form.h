#pragma once

#include <nlohmann/json.hpp>

namespace dragoman {

/// Refuses in a definition unknown keys, values of another type, and names that are no value of
/// their key.
/// \throws OptionsError "/pointer: fact; remedy"
void expect_form_of_definition(const nlohmann::json& given);

}  // namespace dragoman
