#include "dragoman/convert/marian_export.h"

#include "dragoman/convert/lost_search.h"
#include "dragoman/convert/marian_export_model.h"
#include "dragoman/convert/marian_options.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/text/sentencepiece_model.h"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// One side's vocabulary as a file of Marian.
struct MarianVocabularyFile {
  bool is_spm = false;
  std::string content;

  bool operator==(const MarianVocabularyFile&) const = default;
};

/// A key of YAML in quotes: what has another meaning inside them gets a backslash.
std::string in_yaml_quotes(const std::string& piece) {
  std::string text = "\"";
  for (const char c : piece) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += concat('\\', c);
    else if (byte < 0x20 || byte == 0x7F)
      text += concat("\\x", digits[byte / 16], digits[byte % 16]);
    else
      text += c;
  }
  return text + '"';
}

MarianVocabularyFile vocabulary_file(const Tokenizer& tokenizer, const char* side) {
  const auto refuse = [&](const std::string& fact) {
    throw OptionsError(concat("tokenizer: the ", side, " side ", fact, "; Marian cannot"));
  };
  std::vector<std::string> pieces;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    pieces.push_back(tokenizer.piece(id));
  const auto special = tokenizer.special();
  for (const auto& [name, id] : {std::pair{"</s>", special.eos}, {"<unk>", special.unk}})
    if (pieces[static_cast<std::size_t>(id)] != name)
      refuse(concat("has ", pieces[static_cast<std::size_t>(id)], " in place of ", name));
  if (pieces == sentencepiece_pieces(tokenizer.sentencepiece(), side))
    return {.is_spm = true, .content = std::string(tokenizer.sentencepiece())};
  MarianVocabularyFile file;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    file.content += concat(in_yaml_quotes(pieces[id]), ": ", id, '\n');
  return file;
}

/// decoder.yml: what translates, and how.
std::string decoder_text(const SearchOptions& search,
                         const std::pair<std::string, std::string>& vocabularies) {
  const bool is_power =
      search.length_penalty_kind == LengthPenaltyKind::power || search.length_penalty == 0.0;
  if (!is_power && !search.greedy)
    log_warning(
        "convert --to marian: search.length_penalty_kind gnmt has no place in decoder.yml; Marian "
        "will divide by the length");
  return concat(
      "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - ", vocabularies.first, "\n  - ",
      vocabularies.second, "\nbeam-size: ", search.greedy ? 1 : search.beam_size,
      "\nnormalize: ", nlohmann::json(is_power ? search.length_penalty : 1.0).dump(),
      "\nword-penalty: 0\n", search.unknown == UnknownRule::keep ? "allow-unk: true\n" : "",
      "mini-batch: 16\nmaxi-batch: 100\nmaxi-batch-sort: src\n");
}

void warn_of_first_step(const ModelOptions& model) {
  if (marian_translates_differently(model))
    log_warning(
        "convert --to marian: Marian trains and scores pre-norm models as this program does, but "
        "its translation normalises the keys of the decoder's self-attention in the first step "
        "only: it will be much worse, as with model.norm_later_keys=false here. A model with "
        "model.norm=post or model.decoder_layer=ssru is not affected");
}

}  // namespace

void export_marian(const LoadedRun& run, const fs::path& out_dir) {
  expect_plain_texts(run.vocabulary, "Marian's format");
  const auto source = vocabulary_file(run.vocabulary.source, "source");
  const auto target = vocabulary_file(run.vocabulary.target, "target");
  expect_empty_folder(out_dir);
  warn_of_first_step(run.options.model);
  warn_of_lost_search(run.options.search,
                      {"beam_size", "greedy", "length_penalty", "length_penalty_kind", "unknown"},
                      "decoder.yml");
  warn_of_beam_of_one(run.options.search, "Marian");
  NewFolder folder(out_dir);
  const auto write = [&](const std::string& name, std::string_view content) {
    write_file_atomically(out_dir / name, content);
  };
  write_marian_npz(run, out_dir / "model.npz");
  const auto name_of = [](const char* side, const MarianVocabularyFile& file) {
    return concat(side, file.is_spm ? "vocab.spm" : "vocab.yml");
  };
  const bool one = source == target;
  const std::pair names{name_of(one ? "" : "source.", source),
                        name_of(one ? "" : "target.", target)};
  write(names.first, source.content);
  if (!one) write(names.second, target.content);
  if (!source.is_spm) write("source.spm", run.vocabulary.source.sentencepiece());
  if (!target.is_spm) write("target.spm", run.vocabulary.target.sentencepiece());
  write("decoder.yml", decoder_text(run.options.search, names));
  folder.keep();
}

}  // namespace dragoman
