#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dragoman {

/// Warns of characters that the vocabulary lacks: the first one is named at once, their lines are
/// counted at the end.
class UnknownCharacters {
 public:
  /// \param place of the text, for messages
  /// \param effect what follows for a line that has one, for the first message; empty = nothing
  ///     more
  UnknownCharacters(std::string place, std::string effect);

  /// A line of the text. \param character the first that the vocabulary lacks, if any
  void tell(std::int64_t line_number, std::optional<char32_t> character);

  /// The next line after those that were told.
  void tell(std::optional<char32_t> character) { tell(lines_ + 1, character); }

  /// The count, after the last line.
  void finish() const;

 private:
  std::string place_, effect_;
  std::int64_t lines_ = 0, with_unknown_ = 0;
  std::string first_;  ///< "line 3, U+4F60"
};

}  // namespace dragoman
