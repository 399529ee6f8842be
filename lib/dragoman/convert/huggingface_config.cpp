#include "dragoman/convert/huggingface_config.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// The entry of a list of one: files may list the tokens that end a text.
nlohmann::json only_one(const nlohmann::json& value) {
  return value.is_array() && value.size() == 1 ? nlohmann::json(value.at(0)) : value;
}

}  // namespace

PieceIds read_piece_ids(const fs::path& path) {
  PieceIds pieces;
  const auto ids = read_json_object(path);
  for (const auto& [piece, id] : ids.items()) {
    if (!id.is_number_integer())
      throw FormatError(
          concat(path.string(), ": the id of ", printable(piece, 40), " is not a whole number"));
    pieces.emplace_back(piece, id.get<std::int64_t>());
  }
  return pieces;
}

HuggingFaceJson::HuggingFaceJson(const fs::path& path)
    : JsonSettings(fs::exists(path) ? read_json_object(path) : nlohmann::json::object(),
                   path.string()) {}

std::string HuggingFaceJson::token(const char* key, const std::string& or_else) const {
  auto found = value(key);
  if (found.is_object()) found = json_entry(found, "content");
  return found.is_string() ? found.get<std::string>() : or_else;
}

void HuggingFaceJson::expect_plain_tokenizer() const {
  const auto settings = value("sp_model_kwargs");
  if (!settings.is_null() && settings != nlohmann::json::object())
    refuse("sp_model_kwargs", "this program cuts texts as SentencePiece does by default");
  if (flag("clean_up_tokenization_spaces", false))
    log_info(concat(place(),
                    ": clean_up_tokenization_spaces is true: transformers then removes "
                    "blanks before punctuation from translations; this program does not"));
}

HuggingFaceConfig::HuggingFaceConfig(const fs::path& folder)
    : JsonSettings(read_json_object(folder / "config.json"), (folder / "config.json").string()),
      has_generation_(fs::exists(folder / "generation_config.json")),
      search_(has_generation_ ? JsonSettings(read_json_object(folder / "generation_config.json"),
                                             (folder / "generation_config.json").string())
                              : static_cast<const JsonSettings&>(*this)) {}

std::int64_t HuggingFaceConfig::id(const char* key, std::optional<std::int64_t> or_else) const {
  const auto found = only_one(search_.value(key));
  if (found.is_null() && !or_else && has_generation_)
    throw FormatError(concat(search_.place(), ": has no ", key,
                             ", and transformers does not look for it elsewhere; add it"));
  const bool is_token = std::string_view(key).ends_with("_token_id");  // or a list of one
  return is_token && found.is_number_integer() ? found.get<std::int64_t>()
                                               : search_.integer(key, or_else);
}

bool HuggingFaceConfig::renormalizes(bool or_else) const {
  return search_.flag("renormalize_logits", or_else);
}

void HuggingFaceConfig::expect_search(const char* key, const nlohmann::json& only) const {
  if (only_one(search_.value(key)) != only) search_.expect(key, only);
}

void HuggingFaceConfig::expect_plain_search() const {
  const std::vector<std::pair<const char*, nlohmann::json>> neutral = {
      {"do_sample", false},
      {"repetition_penalty", 1.0},
      {"min_length", 0},
      {"num_beam_groups", 1},
      {"diversity_penalty", 0.0},
      {"encoder_no_repeat_ngram_size", 0},
      {"encoder_repetition_penalty", 1.0},
      {"forced_eos_token_id", id("eos_token_id")}};
  for (const auto& [key, only] : neutral) expect_search(key, only);
  expect_unused_search();
}

/// Options that this program's search does not have, but which may be there without an effect.
void HuggingFaceConfig::expect_unused_search() const {
  const std::vector<std::pair<const char*, nlohmann::json>> numbers = {
      {"guidance_scale", 1.0}, {"min_new_tokens", 0}, {"penalty_alpha", 0.0}};
  const auto refuse_unless = [&](const char* key, bool is_neutral) {
    if (!is_neutral) search_.refuse(key, "this program's search does not have it");
  };
  for (const auto& [key, neutral] : numbers) {
    const auto found = search_.value(key);
    refuse_unless(key, found.is_null() || found == neutral);
  }
  for (const char* key :
       {"suppress_tokens", "begin_suppress_tokens", "force_words_ids", "constraints",
        "sequence_bias", "exponential_decay_length_penalty", "stop_strings", "forced_decoder_ids",
        "watermarking_config", "dola_layers"}) {
    const auto found = search_.value(key);
    const bool is_list = found.is_array() || found.is_object();
    refuse_unless(key, found.is_null() || (is_list && found.empty()));
  }
}

std::int64_t HuggingFaceConfig::start_id() const {
  constexpr const char *key = "decoder_start_token_id", *or_else = "bos_token_id";
  if (!has_generation_ || !search_.value(key).is_null()) return id(key);
  if (!search_.value(or_else).is_null()) return id(or_else);
  throw FormatError(
      concat(search_.place(), ": has neither ", key, " nor ", or_else, "; add the first"));
}

bool HuggingFaceConfig::bans(std::int64_t token) const {
  const auto banned = search_.value("bad_words_ids");
  return banned.is_array() &&
         std::ranges::find(banned, nlohmann::json::array({token})) != banned.end();
}

void HuggingFaceConfig::expect_no_text_start(const SpecialIds& special,
                                             const std::string& piece) const {
  const bool is_mark = piece.starts_with('<') && piece.ends_with('>');
  if (is_mark || special.bos == special.eos || special.bos == special.pad || bans(special.bos))
    return;
  throw FormatError(concat(search_.place(), ": the start token ", special.bos, " is the piece ",
                           printable(piece, 40),
                           " of texts, which this program's search could never write; if no "
                           "translation has it, add it to bad_words_ids"));
}

void HuggingFaceConfig::warn_of_free_padding(const SpecialIds& special) const {
  if (special.pad == special.eos || bans(special.pad)) return;
  log_warning(concat(search_.place(), ": bad_words_ids does not ban padding (", special.pad,
                     "), which generate may write therefore; this program's search never does"));
}

/// Padding and the start token, which this program's search never writes either, and perhaps the
/// unknown piece.
UnknownRule HuggingFaceConfig::unknown_rule(const SpecialIds& special) const {
  constexpr const char* key = "bad_words_ids";
  auto rule = UnknownRule::keep;
  const auto banned = search_.value(key);
  if (!banned.is_null() && !banned.is_array()) search_.refuse(key, "it should be a list of lists");
  for (const auto& words : banned.is_array() ? banned : nlohmann::json::array()) {
    const auto is_token = [&](std::int64_t id) { return words == nlohmann::json::array({id}); };
    if (is_token(special.unk))
      rule = UnknownRule::forbid;
    else if (!is_token(special.pad) && (!is_token(special.bos) || special.bos == special.eos))
      search_.refuse(key,
                     "this program's search bans padding, the start and the unknown token only");
  }
  return rule;
}

EarlyStopping HuggingFaceConfig::early_stopping() const {
  const auto found = search_.value("early_stopping");
  if (found.is_null() || found == false) return EarlyStopping::estimate;
  if (found == true) return EarlyStopping::beam;
  if (found == "never") return EarlyStopping::off;
  search_.refuse("early_stopping", "it should be true, false or \"never\"");
}

/// Without the start token; 0 = no limit is set.
std::int64_t HuggingFaceConfig::longest() const {
  for (const auto& [key, start] : {std::pair{"max_new_tokens", 0}, {"max_length", 1}}) {
    if (search_.value(key).is_null()) continue;
    const auto given = id(key);
    if (given <= start) search_.refuse(key, concat("it should be ", start + 1, " or more"));
    return given - start;
  }
  return 0;
}

SearchOptions HuggingFaceConfig::search(const SpecialIds& special) const {
  expect_plain_search();
  SearchOptions search;
  search.beam_size = id("num_beams", 1);
  search.length_penalty_kind = LengthPenaltyKind::power;
  search.length_penalty = search_.number("length_penalty", 1.0);
  search.no_repeat_ngram = id("no_repeat_ngram_size", 0);
  search.max_length = longest();
  if (search.max_length == 0)
    log_info(concat(search_.place(),
                    ": has no max_length, for which generate takes 20 tokens; the run "
                    "limits a translation to its source and ",
                    search.max_length_offset, " pieces (search.max_length)"));
  search.strict_beam = true;
  search.early_stopping = early_stopping();
  search.unknown = unknown_rule(special);
  search.force_eos = !search_.value("forced_eos_token_id").is_null();
  return search;
}

}  // namespace dragoman
