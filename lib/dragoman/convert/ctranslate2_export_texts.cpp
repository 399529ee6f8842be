#include "dragoman/convert/ctranslate2_export_texts.h"

#include "dragoman/convert/lost_search.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"

#include <nlohmann/json.hpp>

namespace dragoman {

namespace {

std::string special_piece(const Tokenizer& tokenizer, std::int64_t id) {
  return tokenizer.piece(static_cast<std::int32_t>(id));
}

/// Whether sources begin with the target's BOS, which config.json can say.
bool begins_with_bos(const Vocabulary& vocabulary) {
  const auto& prefix = vocabulary.source.prefix();
  return prefix.size() == 1 &&
         vocabulary.source.piece(prefix.front()) ==
             special_piece(vocabulary.target, vocabulary.target.special().bos);
}

/// The languages of a model of many are up to CTranslate2's caller.
void note_prefixes(const Vocabulary& vocabulary) {
  if (!vocabulary.source.languages().empty())
    log_info(concat(
        "convert --to ctranslate2: CTranslate2 is given the languages with the text: ",
        printable(vocabulary.source.piece(vocabulary.source.languages().begin()->second), 40),
        " and the like before the pieces of a source, and as the prefix of a translation"));
  const auto note = [](const Tokenizer& tokenizer, const char* what) {
    if (!tokenizer.prefix().empty())
      log_info(concat("convert --to ctranslate2: ", what, " of the run begins with ",
                      printable(tokenizer.piece(tokenizer.prefix().front()), 40),
                      ", which CTranslate2 is given with the other tokens"));
  };
  if (!begins_with_bos(vocabulary)) note(vocabulary.source, "every source");
  note(vocabulary.target, "every translation");
}

}  // namespace

std::string ctranslate2_vocabulary_text(const Tokenizer& tokenizer) {
  auto pieces = nlohmann::json::array();
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    pieces.push_back(tokenizer.piece(id));
  return pieces.dump(1, ' ', false) + "\n";
}

std::string ctranslate2_config_text(const LoadedRun& run) {
  const auto& target = run.vocabulary.target;
  const auto special = target.special();
  const auto& source = run.vocabulary.source;
  const nlohmann::json config{{"add_source_bos", begins_with_bos(run.vocabulary)},
                              {"add_source_eos", source.ends_sources()},
                              {"bos_token", special_piece(target, special.bos)},
                              {"decoder_start_token", special_piece(target, special.bos)},
                              {"eos_token", special_piece(target, special.eos)},
                              {"unk_token", special_piece(target, special.unk)},
                              {"layer_norm_epsilon", run.options.model.layer_norm_eps},
                              {"multi_query_attention", false}};
  return config.dump(2) + "\n";
}

void note_what_ctranslate2_lacks(const LoadedRun& run) {
  note_prefixes(run.vocabulary);
  warn_of_lost_search(run.options.search, {}, "config.json");
}

}  // namespace dragoman
