#pragma once

#include "dragoman/storage/pickle.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace dragoman {

/// Those entries of the root of a pickle, as far as it has them, as JSON; null for values that are
/// no options, such as tensors.
/// \throws FormatError naming `place` if they are too many, too deep or too long
nlohmann::json pickled_entries(const Pickle& pickle, std::initializer_list<std::string_view> keys,
                               const std::string& place);

}  // namespace dragoman
