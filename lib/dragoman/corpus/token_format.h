#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace dragoman {

/// The file format of a token store; all numbers are little-endian.
///
///     "DRGTOK01"                       8 bytes
///     segments                         of `segment_pairs` pairs each, the last of what is left
///       ends      uint32 [2 * pairs]   where each side ends in `ids`: source, target, source, ...
///       ids       uint16 or int32      both sides with EOS; then zeros up to a multiple of 8 bytes
///     description                      JSON: what the store was made from, a place and a
///                                      fingerprint for each segment
///     footer                           `TokenFooter`
///
/// Lengths of neighbours are stored together, so that an epoch can be planned without reading ids.
namespace token_format {

inline constexpr std::string_view magic = "DRGTOK01";
inline constexpr std::size_t segment_pairs = 16384;  // times 2 * 65,537 ids: ends fit 32 bits
inline constexpr std::size_t alignment = 8;

/// The last bytes of the file.
struct TokenFooter {
  std::uint64_t description_offset = 0;
  std::uint64_t description_bytes = 0;
  std::uint64_t description_fingerprint = 0;
};

/// Location of a segment.
struct SegmentPlace {
  std::uint64_t offset = 0;  ///< from the start of the file
  std::uint64_t bytes = 0;   ///< padding included
  std::uint64_t pairs = 0;
  std::string fingerprint;  ///< of its bytes, 16 hexadecimal digits
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentPlace, offset, bytes, pairs, fingerprint)

/// Bytes of one id: 2 for vocabularies of up to 65,536 pieces, else 4.
std::size_t id_bytes(std::int64_t largest_vocabulary);

/// 16 hexadecimal digits.
std::string number_text(std::uint64_t number);

/// The fingerprint of `bytes` as such digits.
std::string fingerprint_text(std::string_view bytes);

}  // namespace token_format

}  // namespace dragoman
