#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace dragoman {

/// A checkpoint's `state_file`, which says what made it.
struct StoredState {
  nlohmann::json content;  ///< an object
  std::string place;       ///< of the file, for messages

  /// Whether it is the state of a training; averaged and converted models have another.
  bool is_training() const;

  /// What that training is made from: text, tokenizers, the run that it started from. Empty for a
  /// model that was not trained here. \throws FormatError if it is damaged
  nlohmann::json identity() const;
};

/// Whether `content` is the state of a training.
bool is_training_state(const nlohmann::json& content);

/// \param checkpoint its folder
/// \throws DataError if the file is missing or cannot be read; FormatError if it is damaged
StoredState read_stored_state(const std::filesystem::path& checkpoint);

/// The same; none if there is no such file.
std::optional<StoredState> find_stored_state(const std::filesystem::path& checkpoint);

}  // namespace dragoman
