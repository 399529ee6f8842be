#pragma once

#include <string>
#include <vector>

namespace dragoman {

/// The names of the option `key` ("model.norm"), of its type; empty if it is not one of names.
std::vector<std::string> type_names(const std::string& key);

/// Those that it may have: cross-attention is exact, and a decoder's is not of low rank.
std::vector<std::string> option_names(const std::string& key);

}  // namespace dragoman
