#pragma once

#include "dragoman/config/search_options.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dragoman {

/// config.json of a model folder as `transformers` writes it, with generation_config.json beside it,
/// if there is one: it holds the options of search, which older folders have in config.json. A null
/// counts as missing.
class HuggingFaceConfig {
 public:
  /// \throws DataError if config.json is missing; FormatError if one is not a JSON object.
  explicit HuggingFaceConfig(const std::filesystem::path& folder);

  /// An option of the model. \throws FormatError if it is missing without `or_else`, or of another
  ///     type
  std::int64_t integer(const char* key, std::optional<std::int64_t> or_else = {}) const;
  bool flag(const char* key, bool or_else) const;
  std::string text(const char* key, std::optional<std::string> or_else = {}) const;
  double number(const char* key, double or_else) const;

  /// An id of a token: an option of search or of the model. \throws the same
  std::int64_t id(const char* key, std::optional<std::int64_t> or_else = {}) const;

  /// An option of search or of the model; null if there is none.
  nlohmann::json search_option(const char* key) const;

  /// \throws FormatError naming an option that differs from the only value that can be expressed
  void expect(const char* key, const nlohmann::json& only) const;

  /// \throws FormatError naming the option and its value
  [[noreturn]] void refuse(const char* key, const std::string& why) const;

  /// How `generate` searches with these options. Lengths count the start token there, not here.
  /// \param pad the only token that bad_words_ids may ban
  /// \throws FormatError naming an option that this program's search does not have
  SearchOptions search(std::int64_t pad) const;

 private:
  template <typename Value>
  Value value_of(const char* key, const nlohmann::json& found, const char* type) const;
  void expect_plain_search(std::int64_t pad) const;
  EarlyStopping early_stopping() const;

  std::string place_, generation_place_;
  nlohmann::json config_, generation_;
};

/// A JSON file that must be an object. \throws DataError if it is missing; FormatError
nlohmann::json read_json_object(const std::filesystem::path& path);

}  // namespace dragoman
