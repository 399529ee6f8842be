#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace dragoman {

/// The pieces of a foreign vocabulary by the rows of its matrix, some of which may have none.
class PiecesById {
 public:
  explicit PiecesById(std::int64_t rows) : pieces_(static_cast<std::size_t>(rows)) {}

  /// \param file that gives the piece its id, for messages
  /// \throws FormatError if the id is none of the rows, or that of another piece
  void put(const std::string& piece, std::int64_t id, const std::filesystem::path& file);

  /// The least id of a piece; none if there is no such piece.
  std::optional<std::int64_t> find(const std::string& piece) const;

  /// The same. \param file where it should be \throws FormatError if there is none
  std::int64_t id_of(const std::string& piece, const std::filesystem::path& file) const;

  std::int64_t rows() const { return std::ssize(pieces_); }

  /// One past the last id that has a piece.
  std::int64_t end() const { return end_; }

  /// The piece of a row; none if it has none.
  const std::optional<std::string>& operator[](std::int64_t id) const {
    return pieces_[static_cast<std::size_t>(id)];
  }

 private:
  std::vector<std::optional<std::string>> pieces_;
  std::unordered_map<std::string, std::int64_t> ids_;
  std::int64_t end_ = 0;
};

}  // namespace dragoman
