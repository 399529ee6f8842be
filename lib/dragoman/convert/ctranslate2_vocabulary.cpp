#include "dragoman/convert/ctranslate2_vocabulary.h"

#include "dragoman/config/strict_json.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> json_tokens(const fs::path& file) {
  nlohmann::json json;
  try {
    json = parse_strict_json(read_regular_file(file), file.string());
  } catch (const OptionsError& error) {
    throw FormatError(error.what());
  }
  const auto is_text = [](const nlohmann::json& token) { return token.is_string(); };
  if (!json.is_array() || !std::ranges::all_of(json, is_text))
    throw FormatError(concat(
        file.string(),
        ": is not a JSON array of tokens; take the vocabulary that was written with the model"));
  return json.get<std::vector<std::string>>();
}

/// One token a line. Carriage returns belong to the tokens, unless every line ends with one.
std::vector<std::string> text_tokens(const fs::path& file) {
  const auto text = read_regular_file(file);
  if (const auto bad = utf8::find_invalid(text))
    throw FormatError(concat(file.string(), ": is not UTF-8 at byte ", *bad));
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    tokens.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto ends_so = [](const std::string& token) { return token.ends_with('\r'); };
  if (std::ranges::all_of(tokens, ends_so))
    for (auto& token : tokens) token.pop_back();
  return tokens;
}

TokenList read_list(const fs::path& folder, const std::string& name, const std::string& unk,
                    std::int64_t rows) {
  TokenList list;
  if (list.file = folder / (name + ".json"); fs::exists(list.file)) {
    list.tokens = json_tokens(list.file);
  } else if (list.file = folder / (name + ".txt"); fs::exists(list.file)) {
    list.tokens = text_tokens(list.file);
  } else {
    throw DataError(concat((folder / name).string(), ": neither .json nor .txt of it is there; ",
                           "copy the model's vocabularies too"));
  }
  if (!list.has(unk)) list.tokens.push_back(unk);
  if (std::ssize(list.tokens) != rows)
    throw FormatError(concat(list.file.string(), ": has ", list.tokens.size(),
                             " tokens, the model ", rows,
                             " rows; give the vocabulary it was trained with"));
  return list;
}

/// OpenNMT's models begin translations with BOS and read sources as they are; those of all other
/// systems have EOS behind a source, which CTranslate2 leaves to its caller where the file says so.
bool source_ends(const CTranslate2Config& config, const std::optional<bool>& chosen) {
  if (config.add_source_eos && chosen == false)
    throw OptionsError(
        "convert --source-eos off: add_source_eos is true, so the model reads EOS; leave it out");
  if (config.add_source_eos) return true;
  const bool opennmt = config.start == config.bos;
  const bool ends = chosen.value_or(!opennmt);
  if (!chosen)
    log_info(concat("convert: add_source_eos is false; sources of the run end ",
                    ends ? "with EOS, as models from transformers want it"
                         : "without EOS, as OpenNMT's models want it",
                    "; choose with --source-eos on or off"));
  return ends;
}

/// Both sides as the configuration describes them.
std::pair<TokenSide, TokenSide> token_sides(const fs::path& model_dir,
                                            const CTranslate2Config& config,
                                            const CTranslate2Tokens& tokens) {
  const bool shared = fs::exists(model_dir / "shared_vocabulary.json") ||
                      fs::exists(model_dir / "shared_vocabulary.txt");
  const auto side = [&](const char* own, std::int64_t rows) {
    TokenSide made{
        .list = read_list(model_dir, shared ? "shared_vocabulary" : own, config.unk, rows),
        .special = {}};
    made.special.eos = made.special.pad = made.list.id(config.eos, "eos_token");
    made.special.unk = made.list.id(config.unk, "unk_token");
    made.special.bos = -1;
    return made;
  };
  auto source = side("source_vocabulary", tokens.source_rows);
  auto target = side("target_vocabulary", tokens.target_rows);
  if (!config.start && tokens.starts_from_token)
    throw FormatError(concat((model_dir / "config.json").string(),
                             ": decoder_start_token is null: the caller chooses the start token, "
                             "but a run of this program has a fixed one"));
  // A model that starts from zeros may name a token that it lacks.
  if (config.start && (tokens.starts_from_token || target.list.has(*config.start)))
    target.special.bos = target.list.id(*config.start, "decoder_start_token");
  if (config.add_source_bos)
    source.prefix.push_back(static_cast<std::int32_t>(source.list.id(config.bos, "bos_token")));
  source.source_eos = source_ends(config, tokens.source_eos);
  if (!tokens.languages.source.empty())
    source.prefix.push_back(source.list.language_id(tokens.languages.source, "--source-language"));
  if (!tokens.languages.target.empty())
    target.prefix.push_back(target.list.language_id(tokens.languages.target, "--target-language"));
  return {std::move(source), std::move(target)};
}

}  // namespace

CTranslate2Vocabulary read_ctranslate2_vocabulary(const fs::path& model_dir,
                                                  const CTranslate2Config& config,
                                                  const CTranslate2Tokens& tokens) {
  const auto [source, target] = token_sides(model_dir, config, tokens);
  const auto given = tokens.tokenizers ? *tokens.tokenizers : tokenizers_beside(model_dir);
  const auto source_rows = source.rows_by(given.source);
  const auto target_rows = target.rows_by(given.target);
  const bool same = !source_rows.empty() && !target_rows.empty() &&
                    (!tokens.joint_embedding || source_rows == target_rows);
  if (same) return {given, at::tensor(source_rows, at::kLong), at::tensor(target_rows, at::kLong)};
  const bool one = source.list.file == target.list.file &&
                   given.source.bytes() == given.target.bytes();  // told once
  return {{.source = source.with_table(given.source, !one),
           .target = target.with_table(given.target),
           .joint = false},
          at::arange(tokens.source_rows, at::kLong),
          at::arange(tokens.target_rows, at::kLong)};
}

}  // namespace dragoman
