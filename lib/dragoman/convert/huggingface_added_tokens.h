#pragma once

#include "dragoman/convert/huggingface_config.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// A token that a tokenizer of `transformers` has beside the pieces of its vocabulary. Texts are
/// cut at its name.
struct AddedToken {
  std::string text;
  std::int64_t id = 0;
  bool is_special = false;  ///< no text: translations are shown without it
};

struct AddedTokens {
  std::filesystem::path file;  ///< that lists them
  std::vector<AddedToken> tokens;
};

/// The tokens of additional_special_tokens or extra_special_tokens, in tokenizer_config.json or
/// special_tokens_map.json. \throws FormatError if one is no text
std::vector<std::string> listed_special_tokens(const std::filesystem::path& folder);

/// Which list counts where there are several: that of tokenizer.json, or the others, as for the
/// tokenizers of `transformers` that use SentencePiece itself.
enum class AddedTokensFirst { tokenizer_json, others };

/// The tokens of added_tokens in tokenizer.json, of added_tokens_decoder in tokenizer_config.json,
/// or else of added_tokens.json; none if there is no such list. Blanks beside a token, which lstrip
/// and rstrip would cut off, are nothing to SentencePiece; by tokenizer.json they are pieces, and a
/// warning tells of it.
/// \throws FormatError if one has no text or no id, or is a word of its own only (single_word)
AddedTokens added_tokens(const std::filesystem::path& folder, AddedTokensFirst first);

}  // namespace dragoman
