#pragma once

#include "dragoman/text/example.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman {

/// Remembers texts by a 64-bit hash: 11 to 22 bytes of memory per text. The probability that any of
/// ten million new texts is mistaken for an earlier one is 3 in a million.
class DuplicateFilter {
 public:
  /// Remembers the text. \return whether it is new
  bool insert(std::string_view text);
  bool insert(const LinePair& pair);

  bool contains(std::string_view text) const;
  bool contains(const LinePair& pair) const;

 private:
  bool insert_key(std::uint64_t key);
  std::size_t place_of(std::uint64_t key) const;
  void grow();

  std::vector<std::uint64_t> keys_;  ///< open addressing; 0 = free
  std::size_t used_ = 0;
};

}  // namespace dragoman
