#include "dragoman/corpus/duplicate_filter.h"

#include "dragoman/core/fingerprint.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t first_places = 1024;  // a power of two, as after each doubling

std::uint64_t key_of(std::string_view text) {
  return std::max<std::uint64_t>(fingerprint(text), 1);
}

/// No line holds a line end, so that different pairs give different texts.
std::uint64_t key_of(const LinePair& pair) { return key_of(pair.source + '\n' + pair.target); }

}  // namespace

bool DuplicateFilter::insert(std::string_view text) { return insert_key(key_of(text)); }
bool DuplicateFilter::insert(const LinePair& pair) { return insert_key(key_of(pair)); }

bool DuplicateFilter::contains(std::string_view text) const {
  return !keys_.empty() && keys_[place_of(key_of(text))] != 0;
}

bool DuplicateFilter::contains(const LinePair& pair) const {
  return !keys_.empty() && keys_[place_of(key_of(pair))] != 0;
}

bool DuplicateFilter::insert_key(std::uint64_t key) {
  if (4 * used_ >= 3 * keys_.size()) grow();
  auto& place = keys_[place_of(key)];
  if (place == key) return false;
  place = key;
  ++used_;
  return true;
}

/// Where the key is, or where it would go.
std::size_t DuplicateFilter::place_of(std::uint64_t key) const {
  const auto mask = keys_.size() - 1;
  auto place = static_cast<std::size_t>(key) & mask;
  while (keys_[place] != 0 && keys_[place] != key) place = (place + 1) & mask;
  return place;
}

void DuplicateFilter::grow() {
  std::vector<std::uint64_t> wider(std::max(first_places, 2 * keys_.size()));
  const auto keys = std::exchange(keys_, std::move(wider));
  for (const auto key : keys)
    if (key != 0) keys_[place_of(key)] = key;
}

}  // namespace dragoman
