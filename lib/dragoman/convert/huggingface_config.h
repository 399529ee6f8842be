#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/convert/json_settings.h"
#include "dragoman/text/special_ids.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// config.json of a model folder as `transformers` writes it, and generation_config.json beside it,
/// if there is one. If so, it alone holds the options of search, as in `transformers` 5, even if it
/// says `_from_model_config` (release 4 then took them from config.json again). What it lacks has
/// the default of `generate`, whatever config.json says, except that a missing length is no limit,
/// where `generate` stops after 20 tokens, and that probabilities of MarianMT are renormalised.
/// Older folders have these options in config.json. A null counts as missing.
class HuggingFaceConfig : public JsonSettings {
 public:
  /// \throws DataError if config.json is missing; FormatError if one is not a JSON object.
  explicit HuggingFaceConfig(const std::filesystem::path& folder);

  /// The options of search.
  const JsonSettings& of_search() const { return search_; }

  /// A whole number that is an option of search, or the id of a token, which may be a list of one.
  /// \throws the same
  std::int64_t id(const char* key, std::optional<std::int64_t> or_else = {}) const;

  /// What every translation begins with: decoder_start_token_id, or bos_token_id if only
  /// generation_config.json is asked and lacks the former, as in `generate`. \throws FormatError if
  ///     there is none
  std::int64_t start_id() const;

  /// `renormalize_logits`. \throws FormatError if it is neither true nor false
  bool renormalizes(bool or_else) const;

  /// `expect` of an option of search.
  void expect_search(const char* key, const nlohmann::json& only) const;

  /// This program's search never writes the start token. `generate` does unless bad_words_ids has
  /// it, which matters if it is a piece of texts.
  /// \param piece that the start token is
  /// \throws FormatError if it is one
  void expect_no_text_start(const SpecialIds& special, const std::string& piece) const;
  /// The same of padding, where `generate` may choose it: a warning.
  void warn_of_free_padding(const SpecialIds& special) const;

  /// How `generate` searches with these options. Lengths count the start token there, not here.
  /// \param special of the target: bad_words_ids may ban what is no text there
  /// \throws FormatError naming an option that this program's search does not have
  SearchOptions search(const SpecialIds& special) const;

 private:
  bool bans(std::int64_t token) const;
  void expect_plain_search() const;
  void expect_unused_search() const;
  EarlyStopping early_stopping() const;
  UnknownRule unknown_rule(const SpecialIds& special) const;
  std::int64_t longest() const;

  bool has_generation_;  ///< whether there is a generation_config.json
  JsonSettings search_;  ///< where the options of search are
};

/// Pieces with their ids.
using PieceIds = std::vector<std::pair<std::string, std::int64_t>>;

/// The JSON object of a vocabulary, {"PIECE": ID}, in the order of the pieces.
/// \throws FormatError as `read_json_object` does, or if an id is not a whole number
PieceIds read_piece_ids(const std::filesystem::path& path);

/// tokenizer_config.json and its like, which a folder may lack.
class HuggingFaceJson : public JsonSettings {
 public:
  /// \throws FormatError if the file is there, but not a JSON object
  explicit HuggingFaceJson(const std::filesystem::path& path);

  /// A text, or a token described by an object with its `content`; anything else counts as missing.
  std::string token(const char* key, const std::string& or_else) const;

  /// Of a tokenizer_config.json: tells that blanks would be removed in translations.
  /// \throws FormatError if it changes how SentencePiece cuts a text (sp_model_kwargs)
  void expect_plain_tokenizer() const;
};

}  // namespace dragoman
