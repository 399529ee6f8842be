#pragma once

#include "dragoman/corpus/token_format.h"
#include "dragoman/core/atomic_file.h"
#include "dragoman/text/example.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// Writes a token store (see token_format.h) pair by pair. One segment is in memory at a time.
class TokenStoreWriter {
 public:
  /// \param largest_vocabulary rows of the larger vocabulary of both sides
  /// \throws DataError if the file cannot be made
  TokenStoreWriter(const std::filesystem::path& path, std::int64_t largest_vocabulary);

  /// \param example no side is empty
  /// \throws DataError (a full disk)
  void add(const Example& example);

  /// Puts the file at its path. \param facts what `TokenStore::facts` gives back
  void commit(const nlohmann::json& facts);

 private:
  void add_ids(const std::vector<std::int32_t>& ids);
  void write_segment();

  AtomicFile file_;
  std::size_t id_bytes_;
  std::vector<std::uint32_t> ends_;  ///< of the segment in the making
  std::string ids_;
  std::vector<token_format::SegmentPlace> places_;
};

}  // namespace dragoman
