#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// 64 bits of `bytes` that tell texts apart and find damage: several bytes a cycle, the same on
/// every little-endian machine. A change within one aligned word of eight bytes always changes it,
/// any other with a probability of 1 - 2^-64. Not for use against those who want two texts to have
/// the same one; that is what `Sha256` is for.
std::uint64_t fingerprint(std::string_view bytes);

}  // namespace dragoman
