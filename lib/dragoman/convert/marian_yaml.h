#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

/// Options as Marian writes them: a key and a scalar or a list of scalars. Everything is text: `y`,
/// `no` and `10` are what they look like. Keys and scalars may be quoted, and comments follow them.
using MarianYaml = std::map<std::string, std::vector<std::string>>;

/// Reads `key: value`, `key: [a, b]` and a key followed by "- item" lines; nested maps are skipped.
/// Stops at a zero byte.
/// \throws FormatError "PLACE: line N: fact", also for a key that occurs twice
MarianYaml parse_marian_yaml(std::string_view text, const std::string& place);

/// A scalar as true or false, as YAML writes them: `true`, `True`, `yes`, `off`; none if it is
/// anything else.
std::optional<bool> truth_value(std::string_view scalar);

/// A scalar as a whole number; none if it is anything else, or does not fit.
std::optional<std::int64_t> whole_number(std::string_view scalar);

/// The pieces and ids of a vocabulary in the order of the file: `piece: id` lines, with or without
/// quotes, or `? piece` and `: id`. \throws FormatError "PLACE: line N: fact"
std::vector<std::pair<std::string, std::int64_t>> parse_marian_vocabulary(std::string_view text,
                                                                          const std::string& place);

}  // namespace dragoman
