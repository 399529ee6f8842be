#include "dragoman/convert/huggingface_config.h"

#include "dragoman/config/strict_json.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"

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

template <typename Value>
bool has_type(const nlohmann::json& value) {
  if constexpr (std::is_same_v<Value, bool>) return value.is_boolean();
  if constexpr (std::is_same_v<Value, std::int64_t>) return value.is_number_integer();
  if constexpr (std::is_same_v<Value, double>) return value.is_number();
  return value.is_string();
}

}  // namespace

nlohmann::json json_entry(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nlohmann::json() : *found;
}

nlohmann::json read_json_object(const fs::path& path) {
  nlohmann::json value;
  try {
    // `transformers` writes 10^30 for a length without a limit.
    value = parse_strict_json(read_regular_file(path), path.string(), LargeIntegers::as_double);
  } catch (const OptionsError& error) {
    throw FormatError(error.what());
  }
  if (!value.is_object())
    throw FormatError(path.string() + ": is not a JSON object; copy it again");
  return value;
}

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
    : place_(path.string()),
      json_(fs::exists(path) ? read_json_object(path) : nlohmann::json::object()) {}

nlohmann::json HuggingFaceJson::value(const char* key) const { return json_entry(json_, key); }

bool HuggingFaceJson::flag(const char* key, bool or_else) const {
  const auto found = value(key);
  if (found.is_null()) return or_else;
  if (!found.is_boolean())
    throw FormatError(concat(place_, ": ", key, " is ", printable(found.dump(), 80),
                             ": it should be true or false"));
  return found.get<bool>();
}

std::string HuggingFaceJson::text(const char* key, const std::string& or_else) const {
  auto found = value(key);
  if (found.is_object()) found = json_entry(found, "content");
  return found.is_string() ? found.get<std::string>() : or_else;
}

void HuggingFaceJson::expect_plain_tokenizer() const {
  const auto settings = value("sp_model_kwargs");
  if (!settings.is_null() && settings != nlohmann::json::object())
    throw FormatError(concat(place_, ": sp_model_kwargs is ", printable(settings.dump(), 80),
                             ": this program cuts texts as SentencePiece does by default"));
  if (flag("clean_up_tokenization_spaces", false))
    log_info(concat(place_,
                    ": clean_up_tokenization_spaces is true: transformers then removes "
                    "blanks before punctuation from translations; this program does not"));
}

HuggingFaceConfig::HuggingFaceConfig(const fs::path& folder)
    : place_((folder / "config.json").string()),
      generation_place_((folder / "generation_config.json").string()),
      config_(read_json_object(place_)),
      generation_(fs::exists(generation_place_) ? read_json_object(generation_place_)
                                                : nlohmann::json()) {}

template <typename Value>
Value HuggingFaceConfig::value_of(const char* key, const nlohmann::json& found,
                                  const char* type) const {
  if (found.is_null()) throw FormatError(concat(place_, ": has no ", key, "; copy the file again"));
  if (!has_type<Value>(found)) refuse(key, concat("it should be ", type));
  return found.get<Value>();
}

template <typename Value>
Value HuggingFaceConfig::search_value(const char* key, const nlohmann::json& found,
                                      const char* type) const {
  if (found.is_null())
    throw FormatError(concat(search_place(), ": has no ", key, "; copy the file again"));
  if (!has_type<Value>(found)) refuse_search(key, concat("it should be ", type));
  return found.get<Value>();
}

std::int64_t HuggingFaceConfig::integer(const char* key,
                                        std::optional<std::int64_t> or_else) const {
  const auto found = json_entry(config_, key);
  if (found.is_null() && or_else) return *or_else;
  return value_of<std::int64_t>(key, found, "a whole number");
}

bool HuggingFaceConfig::flag(const char* key, bool or_else) const {
  const auto found = json_entry(config_, key);
  return found.is_null() ? or_else : value_of<bool>(key, found, "true or false");
}

std::string HuggingFaceConfig::text(const char* key, std::optional<std::string> or_else) const {
  const auto found = json_entry(config_, key);
  if (found.is_null() && or_else) return *or_else;
  return value_of<std::string>(key, found, "a text");
}

double HuggingFaceConfig::number(const char* key, double or_else) const {
  const auto found = json_entry(config_, key);
  return found.is_null() ? or_else : value_of<double>(key, found, "a number");
}

std::int64_t HuggingFaceConfig::id(const char* key, std::optional<std::int64_t> or_else) const {
  auto found = search_option(key);
  if (found.is_null() && or_else) return *or_else;
  if (std::string_view(key).ends_with("_token_id")) found = only_one(found);
  if (found.is_null() && has_generation())
    throw FormatError(concat(generation_place_, ": has no ", key,
                             ", and transformers does not look for it elsewhere; add it"));
  return search_value<std::int64_t>(key, found, "a whole number");
}

nlohmann::json HuggingFaceConfig::search_option(const char* key) const {
  return json_entry(has_generation() ? generation_ : config_, key);
}

bool HuggingFaceConfig::renormalizes(bool or_else) const {
  const char* const key = "renormalize_logits";
  const auto found = search_option(key);
  return found.is_null() ? or_else : search_value<bool>(key, found, "true or false");
}

void HuggingFaceConfig::expect(const char* key, const nlohmann::json& only) const {
  const auto found = json_entry(config_, key);
  if (!found.is_null() && found != only)
    refuse(key, concat("this program knows only ", only.dump()));
}

void HuggingFaceConfig::expect_search(const char* key, const nlohmann::json& only) const {
  const auto found = only_one(search_option(key));
  if (!found.is_null() && found != only)
    refuse_search(key, concat("this program knows only ", only.dump()));
}

void HuggingFaceConfig::refuse(const char* key, const std::string& why) const {
  throw FormatError(
      concat(place_, ": ", key, " is ", printable(json_entry(config_, key).dump(), 80), ": ", why));
}

void HuggingFaceConfig::refuse_search(const char* key, const std::string& why) const {
  throw FormatError(concat(search_place(), ": ", key, " is ",
                           printable(search_option(key).dump(), 80), ": ", why));
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
    if (!is_neutral) refuse_search(key, "this program's search does not have it");
  };
  for (const auto& [key, neutral] : numbers) {
    const auto found = search_option(key);
    refuse_unless(key, found.is_null() || found == neutral);
  }
  for (const char* key :
       {"suppress_tokens", "begin_suppress_tokens", "force_words_ids", "constraints",
        "sequence_bias", "exponential_decay_length_penalty", "stop_strings", "forced_decoder_ids",
        "watermarking_config", "dola_layers"}) {
    const auto found = search_option(key);
    const bool is_list = found.is_array() || found.is_object();
    refuse_unless(key, found.is_null() || (is_list && found.empty()));
  }
}

std::int64_t HuggingFaceConfig::start_id() const {
  constexpr const char *key = "decoder_start_token_id", *or_else = "bos_token_id";
  if (!has_generation() || !search_option(key).is_null()) return id(key);
  if (!search_option(or_else).is_null()) return id(or_else);
  throw FormatError(
      concat(generation_place_, ": has neither ", key, " nor ", or_else, "; add the first"));
}

bool HuggingFaceConfig::bans(std::int64_t token) const {
  const auto banned = search_option("bad_words_ids");
  return banned.is_array() &&
         std::ranges::find(banned, nlohmann::json::array({token})) != banned.end();
}

void HuggingFaceConfig::expect_no_text_start(const SpecialIds& special,
                                             const std::string& piece) const {
  const bool is_mark = piece.starts_with('<') && piece.ends_with('>');
  if (is_mark || special.bos == special.eos || special.bos == special.pad || bans(special.bos))
    return;
  throw FormatError(concat(search_place(), ": the start token ", special.bos, " is the piece ",
                           printable(piece, 40),
                           " of texts, which this program's search could never write; if no "
                           "translation has it, add it to bad_words_ids"));
}

void HuggingFaceConfig::warn_of_free_padding(const SpecialIds& special) const {
  if (special.pad == special.eos || bans(special.pad)) return;
  log_warning(concat(search_place(), ": bad_words_ids does not ban padding (", special.pad,
                     "), which generate may write therefore; this program's search never does"));
}

/// Padding and the start token, which this program's search never writes either, and perhaps the
/// unknown piece.
UnknownRule HuggingFaceConfig::unknown_rule(const SpecialIds& special) const {
  constexpr const char* key = "bad_words_ids";
  auto rule = UnknownRule::keep;
  const auto banned = search_option(key);
  if (!banned.is_null() && !banned.is_array()) refuse_search(key, "it should be a list of lists");
  for (const auto& words : banned.is_array() ? banned : nlohmann::json::array()) {
    const auto is_token = [&](std::int64_t id) { return words == nlohmann::json::array({id}); };
    if (is_token(special.unk))
      rule = UnknownRule::forbid;
    else if (!is_token(special.pad) && (!is_token(special.bos) || special.bos == special.eos))
      refuse_search(key,
                    "this program's search bans padding, the start and the unknown token only");
  }
  return rule;
}

EarlyStopping HuggingFaceConfig::early_stopping() const {
  const auto found = search_option("early_stopping");
  if (found.is_null() || found == false) return EarlyStopping::estimate;
  if (found == true) return EarlyStopping::beam;
  if (found == "never") return EarlyStopping::off;
  refuse_search("early_stopping", "it should be true, false or \"never\"");
}

/// Without the start token; 0 = no limit is set.
std::int64_t HuggingFaceConfig::longest() const {
  for (const auto& [key, start] : {std::pair{"max_new_tokens", 0}, {"max_length", 1}}) {
    if (search_option(key).is_null()) continue;
    const auto given = id(key);
    if (given <= start) refuse_search(key, concat("it should be ", start + 1, " or more"));
    return given - start;
  }
  return 0;
}

SearchOptions HuggingFaceConfig::search(const SpecialIds& special) const {
  expect_plain_search();
  SearchOptions search;
  search.beam_size = id("num_beams", 1);
  search.length_penalty_kind = LengthPenaltyKind::power;
  const auto penalty = search_option("length_penalty");
  search.length_penalty =
      penalty.is_null() ? 1.0 : search_value<double>("length_penalty", penalty, "a number");
  search.no_repeat_ngram = id("no_repeat_ngram_size", 0);
  search.max_length = longest();
  if (search.max_length == 0)
    log_info(concat(search_place(),
                    ": has no max_length, for which generate takes 20 tokens; the run "
                    "limits a translation to its source and ",
                    search.max_length_offset, " pieces (search.max_length)"));
  search.strict_beam = true;
  search.early_stopping = early_stopping();
  search.unknown = unknown_rule(special);
  search.force_eos = !search_option("forced_eos_token_id").is_null();
  return search;
}

}  // namespace dragoman
