#pragma once

#include "dragoman/storage/dtype.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

constexpr std::size_t length_word = 8;  ///< bytes in front of the header that hold its length

/// What the header of a safetensors file says, before it is compared with the data.
struct SafetensorsHeader {
  struct Entry {
    std::string name;
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  ///< bytes from the start of the data
    std::uint64_t end = 0;    ///< one past the last byte; end - begin fits shape and type
  };
  std::vector<Entry> entries;                   ///< in the header's order
  std::map<std::string, std::string> metadata;  ///< `__metadata__`
};

/// Reads the header's JSON. Stricter than JSON readers are: no name twice, no unknown field, only
/// spaces after the object, numbers that are integers as written, nothing nested deeper than the
/// format nests.
/// \param text the header; byte 8 of the file is its first
/// \param place begins each message, such as the file's name
/// \throws FormatError naming the tensor if one is at fault.
SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& place);

/// shape's product * size of an element. \throws FormatError if that overflows.
std::int64_t tensor_bytes(const std::vector<std::int64_t>& shape, DType dtype,
                          const std::string& place);

}  // namespace dragoman
