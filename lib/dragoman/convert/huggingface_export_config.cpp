#include "dragoman/convert/huggingface_export_config.h"

#include "dragoman/convert/lost_search.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/text/piece_table.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dragoman {

namespace {

const char* marian_activation_name(Activation activation) {
  switch (activation) {
    case Activation::relu: return "relu";
    case Activation::gelu: return "gelu";
    case Activation::gelu_tanh: return "gelu_new";
    case Activation::gelu_sigmoid: return "quick_gelu";
    case Activation::swish: return "swish";
  }
  return "";
}

/// How many positions `transformers` makes: more tokens than that end in an error there.
std::int64_t positions_of(const LoadedRun& run) {
  const auto& model = run.options.model;
  return model.position == Position::learned ? model.max_positions
                                             : run.options.data.max_length + 1;
}

/// Tokens with the start token, after which `generate` stops.
std::int64_t longest_generation(const LoadedRun& run) {
  const auto chosen = run.options.search.max_length;
  return std::min<std::int64_t>(chosen > 0 ? chosen + 1 : 512, positions_of(run));
}

/// MarianTokenizer reads >>de<< in front of a text as a piece, but not <<en>>.
void warn_of_lost_tags(const PieceTable& table) {
  for (const auto id : table.not_text)
    if (const auto& piece = table.pieces[static_cast<std::size_t>(id)]; piece.starts_with("<<"))
      return log_warning(concat("convert: ", printable(piece, 40),
                                ": MarianTokenizer never writes the tag of a source language; put "
                                "its id, ",
                                id, ", in front of each source yourself"));
}

/// Tokens at which texts are cut, beside the special ones that every MarianTokenizer has.
nlohmann::json added_tokens_json(const Tokenizer& tokenizer) {
  auto added = nlohmann::json::object();
  const auto table = tokenizer_parts(tokenizer.bytes(), "tokenizer").table;
  if (!table) return added;
  if (table->rules == TextRules::tags) {
    warn_of_lost_tags(*table);
    return added;
  }
  const auto special = tokenizer.special();
  for (const auto id : table->literals) {
    if (id == special.eos || id == special.unk || id == special.pad) continue;
    const bool is_hidden = std::ranges::find(table->not_text, id) != table->not_text.end();
    added[std::to_string(id)] = {{"content", tokenizer.piece(id)},
                                 {"lstrip", false},
                                 {"rstrip", false},
                                 {"normalized", false},
                                 {"single_word", false},
                                 {"special", is_hidden}};
  }
  return added;
}

}  // namespace

void warn_of_lost_generation(const LoadedRun& run) {
  const auto& search = run.options.search;
  warn_of_lost_search(search,
                      {"beam_size", "early_stopping", "force_eos", "greedy", "length_penalty",
                       "length_penalty_kind", "max_length", "no_repeat_ngram", "renormalize",
                       "strict_beam", "unknown"},
                      "generation_config.json");
  const auto longest = longest_generation(run);
  warn_of_beam_of_one(search, "generate");
  if (!search.strict_beam && !search.greedy && search.beam_size > 1)
    log_warning(
        "convert --to huggingface: search.strict_beam=false has no place in "
        "generation_config.json: in generate, only the num_beams best extensions of a step may "
        "end");
  if (search.early_stopping == EarlyStopping::first && !search.greedy && search.beam_size > 1)
    log_warning(
        "convert --to huggingface: search.early_stopping=first has no place in "
        "generation_config.json; generate will search as with estimate");
  if (search.max_length == 0)
    log_info(
        concat("convert --to huggingface: generate has no limit by the length of the source "
               "(search.max_length_offset=",
               search.max_length_offset, "); max_length is ", longest));
  else if (search.max_length + 1 > longest)
    log_warning(concat("convert --to huggingface: search.max_length=", search.max_length,
                       " is beyond the positions of the model in transformers; max_length is ",
                       longest));
}

nlohmann::json marian_mt_generation_json(const LoadedRun& run) {
  const auto& search = run.options.search;
  const auto special = run.vocabulary.target.special();
  auto banned = nlohmann::json::array({nlohmann::json::array({special.pad})});
  if (search.unknown == UnknownRule::forbid) banned.push_back(nlohmann::json::array({special.unk}));
  if (special.bos != special.pad && special.bos != special.eos)
    banned.push_back(nlohmann::json::array({special.bos}));
  nlohmann::json json{{"bad_words_ids", banned},
                      {"bos_token_id", special.eos},
                      {"decoder_start_token_id", special.bos},
                      {"eos_token_id", special.eos},
                      {"pad_token_id", special.pad},
                      {"max_length", longest_generation(run)},
                      {"num_beams", search.greedy ? 1 : search.beam_size},
                      {"renormalize_logits", search.renormalize},
                      {"no_repeat_ngram_size", search.no_repeat_ngram}};
  if (search.force_eos) json["forced_eos_token_id"] = special.eos;
  json["early_stopping"] =
      search.early_stopping == EarlyStopping::off ? nlohmann::json("never") : nlohmann::json(false);
  if (search.early_stopping == EarlyStopping::beam) json["early_stopping"] = true;
  if (search.length_penalty_kind == LengthPenaltyKind::power || search.length_penalty == 0.0)
    json["length_penalty"] = search.length_penalty;
  else if (!search.greedy)
    log_warning(
        "convert --to huggingface: search.length_penalty_kind gnmt has no place in "
        "generation_config.json; generate will divide by the length");
  return json;
}

nlohmann::json marian_mt_config_json(const LoadedRun& run, const nlohmann::json& generation) {
  const auto& model = run.options.model;
  auto json = generation;
  json.update({{"model_type", "marian"},
               {"architectures", nlohmann::json::array({"MarianMTModel"})},
               {"is_encoder_decoder", true},
               {"activation_function", marian_activation_name(model.activation)},
               {"d_model", model.d_model},
               {"encoder_layers", model.encoder_layers},
               {"decoder_layers", model.decoder_layers},
               {"num_hidden_layers", model.encoder_layers},
               {"encoder_attention_heads", model.heads_of(StackSide::encoder)},
               {"decoder_attention_heads", model.heads_of(StackSide::decoder)},
               {"encoder_ffn_dim", model.d_ff},
               {"decoder_ffn_dim", model.decoder_inner_width()},
               {"vocab_size", run.vocabulary.source.vocab_size()},
               {"decoder_vocab_size", run.vocabulary.target.vocab_size()},
               {"share_encoder_decoder_embeddings", model.has_joint_embedding()},
               {"tie_word_embeddings", !model.has_own_generator()},
               {"scale_embedding", model.embed_scale},
               {"static_position_embeddings", true},
               {"normalize_before", false},
               {"normalize_embedding", false},
               {"add_final_layer_norm", false},
               {"dropout", model.dropout},
               {"attention_dropout", model.attention_dropout_rate()},
               {"activation_dropout", model.activation_dropout_rate()},
               {"max_position_embeddings", positions_of(run)},
               {"torch_dtype", "float32"}});
  return json;
}

nlohmann::json marian_mt_vocabulary_json(const Tokenizer& tokenizer) {
  auto ids = nlohmann::json::object();
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) ids[tokenizer.piece(id)] = id;
  return ids;
}

nlohmann::json marian_mt_tokenizer_json(const LoadedRun& run, bool separate) {
  const auto& source = run.vocabulary.source;
  const auto name = [&](std::int64_t id) { return source.piece(static_cast<std::int32_t>(id)); };
  nlohmann::json json{{"tokenizer_class", "MarianTokenizer"},
                      {"separate_vocabs", separate},
                      {"unk_token", name(source.special().unk)},
                      {"eos_token", name(source.special().eos)},
                      {"pad_token", name(source.special().pad)},
                      {"model_max_length", run.options.data.max_length + 1}};
  if (auto added = added_tokens_json(source); !added.empty())
    json["added_tokens_decoder"] = std::move(added);
  return json;
}

}  // namespace dragoman
