#pragma once

#include "dragoman/text/example.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman {

/// Remembers which texts came before, by 64 bits of each: 11 to 22 bytes of memory a text. That any
/// of ten million new texts is taken for one that came before has a probability of 3 in a million.
class SeenTexts {
 public:
  /// Whether the text is new; from now on it is not.
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
