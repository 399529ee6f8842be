#include "dragoman/shortlist/marian_binary.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <cstring>

namespace dragoman {

namespace {

constexpr std::uint64_t magic_number = 0xF11A48D5013417F5ULL;

/// The first numbers of the file.
struct MarianHeader {
  std::uint64_t magic = magic_number, checksum = 0;
  std::uint64_t first = 0, best = 0, offsets = 0, targets = 0;
};
constexpr std::size_t checked_from = 2 * sizeof(std::uint64_t);

/// The file while it is read.
class MarianReader {
 public:
  MarianReader(std::string_view bytes, const ShortlistVocabulary& vocabulary,
               const std::string& place)
      : bytes_(bytes), vocabulary_(vocabulary), place_(place) {}

  Shortlist read() {
    check_header();
    Shortlist shortlist{.vocabulary = vocabulary_,
                        .first = static_cast<std::int64_t>(header_.first),
                        .best = static_cast<std::int64_t>(header_.best)};
    shortlist.offsets.resize(header_.offsets);
    shortlist.targets.resize(header_.targets);
    const auto offset_bytes = header_.offsets * sizeof(std::uint64_t);
    std::memcpy(shortlist.offsets.data(), bytes_.data() + sizeof header_, offset_bytes);
    if (!shortlist.targets.empty())
      std::memcpy(shortlist.targets.data(), bytes_.data() + sizeof header_ + offset_bytes,
                  header_.targets * sizeof(std::int32_t));
    check_lists(shortlist);
    // A vocabulary may have a row for padding that the tokenizer has no piece for.
    shortlist.offsets.resize(static_cast<std::size_t>(vocabulary_.sizes.source) + 1,
                             header_.targets);
    return shortlist;
  }

 private:
  void check_header() {
    if (bytes_.size() < sizeof header_) refuse("is truncated in its header", "copy it again");
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    const auto rest = bytes_.size() - sizeof header_;
    if (header_.offsets > rest / sizeof(std::uint64_t) ||
        header_.targets > (rest - header_.offsets * sizeof(std::uint64_t)) / sizeof(std::int32_t) ||
        header_.offsets * sizeof(std::uint64_t) + header_.targets * sizeof(std::int32_t) != rest)
      refuse(concat("has ", bytes_.size(), " bytes, which its header's ", header_.offsets,
                    " offsets and ", header_.targets, " ids do not fill"),
             "it is truncated or damaged, copy it again");
    if (marian_checksum(bytes_.substr(checked_from)) != header_.checksum)
      refuse("does not match its checksum", "it is damaged, copy it again");
    const auto pieces = static_cast<std::uint64_t>(vocabulary_.sizes.source);
    if (header_.offsets != pieces + 1 && header_.offsets != pieces)
      refuse(concat("has ", header_.offsets, " offsets, the vocabulary has ", pieces,
                    " source pieces"),
             "use the shortlist of this model");
    if (header_.first > static_cast<std::uint64_t>(vocabulary_.sizes.target))
      refuse(concat("allows the first ", header_.first, " target ids, the vocabulary has ",
                    vocabulary_.sizes.target),
             "use the shortlist of this model");
    if (header_.best > std::uint64_t{1} << 40)
      refuse(concat("has lists of ", header_.best, " ids"), "it is damaged, copy it again");
  }

  void check_lists(Shortlist& shortlist) const {
    std::uint64_t before = 0;
    for (std::size_t s = 0; s < shortlist.offsets.size(); ++s) {
      if (shortlist.offsets[s] < before || shortlist.offsets[s] > header_.targets)
        refuse(concat("has offset ", shortlist.offsets[s], " for source id ", s, ", after ", before,
                      " and before ", header_.targets),
               "it is damaged, copy it again");
      before = shortlist.offsets[s];
    }
    if (shortlist.offsets.front() != 0 || before != header_.targets)
      refuse("has ids outside its lists", "it is damaged, copy it again");
    for (std::size_t i = 0; i < shortlist.targets.size(); ++i)
      if (shortlist.targets[i] < 0 || shortlist.targets[i] >= vocabulary_.sizes.target)
        refuse(concat("has target id ", static_cast<std::uint32_t>(shortlist.targets[i]),
                      " at place ", i, ", the vocabulary ends at ", vocabulary_.sizes.target - 1),
               "use the shortlist of this model");
    for (std::size_t s = 0; s + 1 < shortlist.offsets.size(); ++s)
      std::sort(shortlist.targets.begin() + static_cast<std::ptrdiff_t>(shortlist.offsets[s]),
                shortlist.targets.begin() + static_cast<std::ptrdiff_t>(shortlist.offsets[s + 1]));
  }

  [[noreturn]] void refuse(const std::string& fact, const char* remedy) const {
    throw FormatError(concat(place_, ": ", fact, "; ", remedy));
  }

  std::string_view bytes_;
  const ShortlistVocabulary& vocabulary_;
  const std::string& place_;
  MarianHeader header_;
};

template <typename Number>
void append_numbers(std::string& bytes, const std::vector<Number>& numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

}  // namespace

std::uint64_t marian_checksum(std::string_view bytes) {
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at + sizeof hash <= bytes.size(); at += sizeof hash) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    hash ^= number + 0x9e3779b9U + (hash << 6U) + (hash >> 2U);
  }
  return hash;
}

bool is_marian_binary(std::string_view bytes) {
  std::uint64_t number = 0;
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number == magic_number;
}

Shortlist read_marian_binary(std::string_view bytes, const ShortlistVocabulary& vocabulary,
                             const std::string& place) {
  return MarianReader(bytes, vocabulary, place).read();
}

std::string marian_binary(const Shortlist& shortlist) {
  MarianHeader header{.first = static_cast<std::uint64_t>(shortlist.first),
                      .best = static_cast<std::uint64_t>(shortlist.best),
                      .offsets = shortlist.offsets.size(),
                      .targets = shortlist.targets.size()};
  std::string bytes(sizeof header, '\0');
  append_numbers(bytes, shortlist.offsets);
  append_numbers(bytes, shortlist.targets);
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = marian_checksum(std::string_view(bytes).substr(checked_from));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace dragoman
