#pragma once

#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/corpus/token_format.h"
#include "dragoman/storage/mapped_file.h"
#include "dragoman/text/example.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The ids of a training text, in their folder.
inline constexpr const char* token_store_file = "train.tokens";

/// Pieces of both sides of a pair, EOS included.
struct PairLength {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
};

/// A corpus as ids in a mapped file (see token_format.h): pairs by index, in text order. Only what
/// is accessed is loaded into memory. All const members may be called from several threads.
class TokenStore {
 public:
  /// Maps the file and verifies every checksum and every id, one segment at a time.
  /// \param sizes of the vocabularies that the ids must be of
  /// \throws DataError if it cannot be read; FormatError naming it if it is damaged, truncated, not
  ///     a token store, or of larger vocabularies
  TokenStore(const std::filesystem::path& path, const VocabularySizes& sizes);

  std::size_t size() const { return size_; }  ///< pairs

  /// \param index below `size`, also in the functions below
  PairLength length(std::size_t index) const;
  Example example(std::size_t index) const;

  /// The facts passed to `TokenStoreWriter::commit`.
  const nlohmann::json& facts() const { return facts_; }

  /// Releases the memory of what was accessed so far.
  void drop_pages() const { file_.drop_pages(); }

  /// As `MappedFile::expect_unchanged`, before pairs are read that may not be in memory.
  void expect_unchanged() const { file_.expect_unchanged(); }

 private:
  struct Segment {
    const std::uint32_t* ends;
    const char* ids;
  };
  /// The positions of a pair's two sides in the ids of their segment.
  struct Range {
    const char* ids;
    std::uint32_t begin, middle, end;
  };
  nlohmann::json read_description() const;
  Segment open_segment(const token_format::SegmentPlace& place, const VocabularySizes& sizes) const;
  /// The largest id of `count` from `first` on; of negative ones the largest number there is.
  std::uint32_t largest_id(const char* ids, std::size_t first, std::size_t count) const;
  Range range_of(std::size_t index) const;
  std::vector<std::int32_t> ids(const char* from, std::uint32_t begin, std::uint32_t end) const;
  [[noreturn]] void refuse(std::string_view fact) const;

  MappedFile file_;
  std::string place_;
  std::size_t id_bytes_ = 0;
  std::size_t size_ = 0;
  std::vector<Segment> segments_;
  nlohmann::json facts_;
};

}  // namespace dragoman
