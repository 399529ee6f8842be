#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

/// A 64-bit hash of `bytes`, to distinguish texts and detect damage: several bytes a cycle, the
/// same on every little-endian machine. A change within one aligned word of eight bytes always
/// changes it, any other with a probability of 1 - 2^-64. Not secure against deliberate collisions;
/// use `Sha256` for that.
std::uint64_t fingerprint(std::string_view bytes);

}  // namespace dragoman
