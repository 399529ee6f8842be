#include "dragoman/corpus/token_store.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <cstring>

namespace dragoman {

namespace {

using token_format::TokenFooter;

/// Whether `size` bytes at `offset` are within `whole` bytes.
bool lies_inside(std::uint64_t offset, std::uint64_t size, std::uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

/// Whether each side has at least one id and the last ends within `ids`.
bool ends_rise(const std::uint32_t* ends, std::size_t sides, std::uint64_t ids) {
  std::uint32_t before = 0;
  bool rise = true;
  for (std::size_t i = 0; i < sides; ++i) {
    rise = rise && ends[i] > before;
    before = ends[i];
  }
  return rise && before <= ids;
}

}  // namespace

TokenStore::TokenStore(const std::filesystem::path& path, const VocabularySizes& sizes)
    : file_(path), place_(path.string()) {
  try {
    const auto description = read_description();
    id_bytes_ = description.at("id_bytes");
    if (id_bytes_ != 2 && id_bytes_ != 4) refuse("has ids of an unsupported size");
    const std::vector<token_format::SegmentPlace> places = description.at("segments");
    for (const auto& place : places) {
      if (size_ % token_format::segment_pairs != 0) refuse("has a short segment before the last");
      segments_.push_back(open_segment(place, sizes));
      size_ += place.pairs;
      file_.drop_pages();
    }
    facts_ = description.at("facts");
  } catch (const nlohmann::json::exception& error) {
    refuse(concat("has an incomplete description: ", error.what()));
  }
}

nlohmann::json TokenStore::read_description() const {
  const auto bytes = file_.bytes();
  TokenFooter footer;
  if (bytes.size() < token_format::magic.size() + sizeof footer ||
      !bytes.starts_with(token_format::magic))
    refuse("is not a token store of this version");
  const auto end = bytes.size() - sizeof footer;
  std::memcpy(&footer, bytes.data() + end, sizeof footer);
  if (!lies_inside(footer.description_offset, footer.description_bytes, end))
    refuse("is truncated");
  const auto text = bytes.substr(footer.description_offset, footer.description_bytes);
  if (token_format::fingerprint_text(text) !=
      token_format::number_text(footer.description_fingerprint))
    refuse("is truncated or damaged at its end");
  return nlohmann::json::parse(text);
}

std::uint32_t TokenStore::largest_id(const char* ids, std::size_t first, std::size_t count) const {
  const auto largest = [&](auto type) -> std::uint32_t {
    const auto* all = reinterpret_cast<const decltype(type)*>(ids) + first;
    return count == 0 ? 0 : *std::max_element(all, all + count);
  };
  return id_bytes_ == sizeof(std::uint16_t) ? largest(std::uint16_t{}) : largest(std::uint32_t{});
}

TokenStore::Segment TokenStore::open_segment(const token_format::SegmentPlace& place,
                                             const VocabularySizes& sizes) const {
  const auto bytes = file_.bytes();
  const auto number = segments_.size();
  if (place.offset % token_format::alignment != 0 || place.pairs == 0 ||
      place.pairs > token_format::segment_pairs ||
      !lies_inside(place.offset, place.bytes, bytes.size()))
    refuse(concat("has no segment ", number, " in the expected place"));
  const auto segment = bytes.substr(place.offset, place.bytes);
  if (token_format::fingerprint_text(segment) != place.fingerprint)
    refuse(concat("is damaged in segment ", number, " of pairs from ", size_));
  const auto* ends = reinterpret_cast<const std::uint32_t*>(segment.data());
  const auto ends_bytes = 2 * place.pairs * sizeof(std::uint32_t);
  if (segment.size() < ends_bytes ||
      !ends_rise(ends, 2 * place.pairs, (segment.size() - ends_bytes) / id_bytes_))
    refuse(concat("has lengths in segment ", number, " beyond its end"));
  const auto* ids = segment.data() + ends_bytes;
  std::uint32_t first = 0;
  for (std::size_t side = 0; side < 2 * place.pairs; ++side) {
    const auto size = side % 2 == 0 ? sizes.source : sizes.target;
    if (largest_id(ids, first, ends[side] - first) >= size)
      refuse(concat("has ids in segment ", number, " that are not of its vocabulary"));
    first = ends[side];
  }
  return {.ends = ends, .ids = ids};
}

TokenStore::Range TokenStore::range_of(std::size_t index) const {
  const auto& segment = segments_[index / token_format::segment_pairs];
  const auto side = 2 * (index % token_format::segment_pairs);
  return {.ids = segment.ids,
          .begin = side == 0 ? 0 : segment.ends[side - 1],
          .middle = segment.ends[side],
          .end = segment.ends[side + 1]};
}

PairLength TokenStore::length(std::size_t index) const {
  const auto range = range_of(index);
  return {.source = range.middle - range.begin, .target = range.end - range.middle};
}

Example TokenStore::example(std::size_t index) const {
  const auto range = range_of(index);
  return {.source_ids = ids(range.ids, range.begin, range.middle),
          .target_ids = ids(range.ids, range.middle, range.end)};
}

std::vector<std::int32_t> TokenStore::ids(const char* from, std::uint32_t begin,
                                          std::uint32_t end) const {
  std::vector<std::int32_t> result(end - begin);
  if (id_bytes_ == sizeof(std::uint16_t)) {
    const auto* narrow = reinterpret_cast<const std::uint16_t*>(from);
    std::copy(narrow + begin, narrow + end, result.begin());
  } else {
    std::memcpy(result.data(), from + begin * sizeof(std::int32_t),
                result.size() * sizeof(std::int32_t));
  }
  return result;
}

void TokenStore::refuse(std::string_view fact) const {
  throw FormatError(concat(place_, ": ", fact, "; 'dragoman train' rebuilds it"));
}

}  // namespace dragoman
