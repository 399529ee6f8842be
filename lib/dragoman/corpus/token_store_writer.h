#pragma once

#include "dragoman/core/atomic_file.h"
#include "dragoman/corpus/token_format.h"
#include "dragoman/text/example.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// Writes a token store (see token_format.h) pair by pair. Only one segment is held in memory.
class TokenStoreWriter {
 public:
  /// \param largest_vocabulary size of the larger of the two vocabularies
  /// \throws DataError if the file cannot be created
  TokenStoreWriter(const std::filesystem::path& path, std::int64_t largest_vocabulary);

  /// \param example neither side may be empty
  /// \throws DataError (a full disk)
  void add(const Example& example);

  /// Moves the file to its path. \param facts returned by `TokenStore::facts`
  void commit(const nlohmann::json& facts);

 private:
  void add_ids(const std::vector<std::int32_t>& ids);
  void write_segment();

  AtomicFile file_;
  std::size_t id_bytes_;
  std::vector<std::uint32_t> ends_;  ///< of the segment being written
  std::string ids_;
  std::vector<token_format::SegmentPlace> places_;
};

}  // namespace dragoman
