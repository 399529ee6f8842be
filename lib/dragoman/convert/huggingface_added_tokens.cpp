#include "dragoman/convert/huggingface_added_tokens.h"

#include "dragoman/convert/marian_yaml.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <optional>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_added(const fs::path& file, const std::string& fact) {
  throw FormatError(concat(file.string(), ": ", fact));
}

/// A token as a text, or an object that describes it.
std::string token_text(const nlohmann::json& token, const fs::path& file) {
  const auto text = token.is_object() ? token.value("content", nlohmann::json()) : token;
  if (!text.is_string()) refuse_added(file, "has a special token that is not text; copy it again");
  return text.get<std::string>();
}

bool flag_of(const nlohmann::json& token, const char* name) {
  return token.is_object() && token.value(name, nlohmann::json(false)) == true;
}

AddedToken described_token(const nlohmann::json& token, std::int64_t id, const fs::path& file) {
  AddedToken found{
      .text = token_text(token, file), .id = id, .is_special = flag_of(token, "special")};
  if (found.text.empty())
    refuse_added(file, concat("has an added token without text, of the id ", id));
  if (flag_of(token, "single_word"))
    refuse_added(file,
                 concat("the added token ", printable(found.text, 40),
                        " is cut out of texts only where it is a word (single_word), which is not "
                        "supported; add it without"));
  return found;
}

std::vector<AddedToken> of_tokenizer_json(const fs::path& file) {
  std::vector<AddedToken> tokens;
  std::string behind_blanks;
  for (const auto& token : read_json_object(file).value("added_tokens", nlohmann::json::array())) {
    const auto id = token.is_object() ? token.value("id", nlohmann::json()) : nlohmann::json();
    if (!id.is_number_integer()) refuse_added(file, "added_tokens has an entry without an id");
    tokens.push_back(described_token(token, id.get<std::int64_t>(), file));
    const auto& added = tokens.back();
    if (!added.is_special && !flag_of(token, "lstrip") && behind_blanks.empty())
      behind_blanks = added.text;
  }
  if (!behind_blanks.empty())
    log_warning(concat(file.string(), ": in transformers, a blank before the added token ",
                       printable(behind_blanks, 40),
                       " is a piece of its own; here SentencePiece leaves it out"));
  return tokens;
}

std::vector<AddedToken> of_ids(const nlohmann::json& by_id, const fs::path& file) {
  std::vector<AddedToken> tokens;
  for (const auto& [key, token] : by_id.items()) {
    const auto id = whole_number(key);
    if (!id)
      refuse_added(file, concat("added_tokens_decoder has the entry ", printable(key, 40),
                                ", which is not an id; copy it again"));
    tokens.push_back(described_token(token, *id, file));
  }
  return tokens;
}

/// The older form: ids by names.
std::vector<AddedToken> of_older_names(const fs::path& file,
                                       const std::vector<std::string>& special) {
  std::vector<AddedToken> tokens;
  for (const auto& [text, id] : read_piece_ids(file)) {
    tokens.push_back(described_token(text, id, file));
    tokens.back().is_special = std::ranges::find(special, text) != special.end();
  }
  return tokens;
}

}  // namespace

std::vector<std::string> listed_special_tokens(const fs::path& folder) {
  constexpr const char *key = "additional_special_tokens", *newer = "extra_special_tokens";
  const auto config = folder / "tokenizer_config.json", map = folder / "special_tokens_map.json";
  const HuggingFaceJson of_config(config), of_map(map);
  std::vector<std::string> tokens;
  for (const auto& [list, file] : {std::pair{of_config.value(key), config},
                                   {of_map.value(key), map},
                                   {of_config.value(newer), config},
                                   {of_map.value(newer), map}}) {
    if (!list.is_array() || list.empty()) continue;
    for (const auto& token : list) tokens.push_back(token_text(token, file));
    break;
  }
  return tokens;
}

AddedTokens added_tokens(const fs::path& folder, AddedTokensFirst first) {
  const auto fast = folder / "tokenizer.json", config = folder / "tokenizer_config.json",
             names = folder / "added_tokens.json";
  const bool has_fast = fs::exists(fast);
  if (has_fast && first == AddedTokensFirst::tokenizer_json)
    return {.file = fast, .tokens = of_tokenizer_json(fast)};
  const auto by_id = HuggingFaceJson(config).value("added_tokens_decoder");
  if (by_id.is_object()) return {.file = config, .tokens = of_ids(by_id, config)};
  if (fs::exists(names))
    return {.file = names, .tokens = of_older_names(names, listed_special_tokens(folder))};
  if (has_fast) return {.file = fast, .tokens = of_tokenizer_json(fast)};
  return {};
}

}  // namespace dragoman
