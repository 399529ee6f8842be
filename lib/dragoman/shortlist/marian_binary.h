#pragma once

#include "dragoman/shortlist/shortlist.h"

#include <string>
#include <string_view>

namespace dragoman {

/// Marian's binary shortlist, as bergamot and Firefox read it. All numbers are little-endian:
///
///     uint64  magic, checksum, first, best, n = source pieces + 1, k
///     uint64  [n]  where the list of each source piece begins; the last one is k
///     uint32  [k]  target ids; each list ascends
///
/// The checksum is over all numbers from `first` on, as `marian_checksum` reads them.

/// Whether the bytes begin with its magic number.
bool is_marian_binary(std::string_view bytes);

/// \param vocabulary that it has to fit
/// \param place its name in messages
/// \throws FormatError if it is damaged or belongs to another vocabulary
Shortlist read_marian_binary(std::string_view bytes, const ShortlistVocabulary& vocabulary,
                             const std::string& place);

/// The file's bytes. \param shortlist without phrases
std::string marian_binary(const Shortlist& shortlist);

/// Marian's hash of bytes as 64-bit numbers; what is left at their end does not count.
std::uint64_t marian_checksum(std::string_view bytes);

}  // namespace dragoman
