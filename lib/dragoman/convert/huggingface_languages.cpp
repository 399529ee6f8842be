#include "dragoman/convert/huggingface_languages.h"

#include "dragoman/convert/huggingface_added_tokens.h"
#include "dragoman/convert/pieces_by_id.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/piece_table.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// The languages of M2M100 in the order of their ids, which newer folders do not list.
constexpr std::string_view m2m100_languages =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy "
    "ga gd gl gu ha he hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln "
    "lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro ru sd si sk sl so "
    "sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";
constexpr std::string_view wmt21_languages = "en ha is ja cs ru zh de";

/// The tokens of such a list: __af__ and so on.
std::vector<std::string> language_tokens(std::string_view languages) {
  std::vector<std::string> tokens;
  while (!languages.empty()) {
    const auto end = std::min(languages.find(' '), languages.size());
    tokens.push_back(concat("__", languages.substr(0, end), "__"));
    languages.remove_prefix(std::min(end + 1, languages.size()));
  }
  return tokens;
}

/// Whether a token looks like M2M100's "__af__" or NLLB's "afr_Latn".
bool is_like_language(std::string_view token) {
  const auto form = language_form(token);
  return form == LanguageForm::m2m100 || form == LanguageForm::nllb;
}

/// Whether it is no language, however it is listed: "<mask>".
bool is_mark(std::string_view token) { return token.starts_with('<') && token.ends_with('>'); }

/// The SentencePiece model of a folder.
fs::path sentencepiece_of(const fs::path& folder) {
  const auto file = folder / "sentencepiece.bpe.model";
  if (!fs::exists(file))
    throw DataError(concat(file.string(),
                           ": is missing, perhaps because transformers 5 saved the folder, which "
                           "writes tokenizer.json alone; copy it from the folder of the original "
                           "model"));
  return file;
}

/// Fills a table of pieces by id.
class LanguageTable {
 public:
  LanguageTable(const fs::path& folder, const HuggingFaceConfig& config, std::int64_t rows)
      : folder_(folder),
        config_(config),
        spm_(sentencepiece_of(folder)),
        tokenizer_config_(folder / "tokenizer_config.json"),
        pieces_(rows) {
    tokenizer_config_.expect_plain_tokenizer();
    if (tokenizer_config_.flag("legacy_behaviour", false))
      throw FormatError(concat((folder / "tokenizer_config.json").string(),
                               ": legacy_behaviour is true: the language token would follow the "
                               "source, which is not supported; set it to false, as in newer "
                               "files"));
    if (fs::exists(folder / "vocab.json"))
      take_vocabulary(folder / "vocab.json");
    else
      take_sentencepiece();
    take_languages();
    take_mask();
    special_ = {.pad = special_id("pad_token_id"),
                .unk = pieces_.id_of("<unk>", folder_),
                .bos = inside("decoder_start_token_id", config.start_id()),
                .eos = special_id("eos_token_id")};
    if (std::ranges::find(hidden_, special_.bos) == hidden_.end())
      config.expect_no_text_start(special_, pieces_[special_.bos].value_or(""));
  }

  /// \param languages that the texts begin with; empty = none yet
  Vocabulary vocabulary(const Languages& languages) const {
    PieceTable table{.special = special_, .languages = languages_};
    std::int64_t unused = 0;  // rows that only fill the matrix up
    for (std::int64_t id = 0; id < pieces_.rows(); ++id)
      table.pieces.push_back(pieces_[id] ? *pieces_[id] : concat("madeupword", unused++));
    table.literals = added_;
    table.not_text = hidden_;
    for (const char* name : {"<s>", "<pad>", "</s>", "<unk>"}) {
      const auto id = static_cast<std::int32_t>(pieces_.id_of(name, folder_));
      table.literals.push_back(id);
      table.not_text.push_back(id);
    }
    const auto sentencepiece = read_regular_file(spm_);
    const auto side = [&](const std::string& language, const char* role) {
      table.prefix.clear();
      if (!language.empty()) table.prefix.push_back(language_id(languages_, language, role));
      return Tokenizer::from_bytes(with_piece_table(table, sentencepiece), spm_.string());
    };
    return {.source = side(languages.source, "from"),
            .target = side(languages.target, "into"),
            .joint = false};
  }

  /// Those that are given, else those that the folder names.
  Languages defaults(const Languages& given) const {
    auto target = given.target;
    if (target.empty()) target = forced_language();
    return {.source = given.source.empty() ? tokenizer_config_.token("src_lang", "") : given.source,
            .target = target.empty() ? tokenizer_config_.token("tgt_lang", "") : target};
  }

 private:
  std::int64_t special_id(const char* key) const { return inside(key, config_.id(key)); }

  std::int64_t inside(const char* key, std::int64_t id) const {
    if (id < 0 || id >= pieces_.rows())
      config_.of_search().refuse(key, concat("the model has only ", pieces_.rows(), " rows"));
    return id;
  }

  void take_vocabulary(const fs::path& file) {
    for (const auto& [piece, id] : read_piece_ids(file)) pieces_.put(piece, id, file);
  }

  /// fairseq has four special pieces in front; SentencePiece three, in another order.
  void take_sentencepiece() {
    const auto model = Tokenizer::load(spm_);
    const auto count = model.vocab_size() - (model.special().pad == model.vocab_size() - 1 ? 1 : 0);
    std::int64_t id = 0;
    for (const char* name : {"<s>", "<pad>", "</s>", "<unk>"}) pieces_.put(name, id++, spm_);
    for (std::int32_t i = 3; i < count; ++i) pieces_.put(model.piece(i), i + 1, spm_);
  }

  /// Their ids as the added tokens give them, else one after the other behind all pieces.
  void take_languages() {
    const auto listed = listed_languages();
    const auto added = added_tokens(folder_, AddedTokensFirst::tokenizer_json);
    auto next = pieces_.end();
    const std::unordered_set<std::string_view> names(listed.begin(), listed.end());
    for (const auto& token : added.tokens) {
      const bool may_be =
          names.contains(token.text) || (token.is_special && is_like_language(token.text));
      add(token, may_be && !is_mark(token.text), added.file);
    }
    if (added.file.filename() == "tokenizer.json") return;  // which has them all
    for (const auto& name : listed) {
      const auto id = next++;  // also of one that is an added token, and so has an id already
      if (!pieces_.find(name))
        add({.text = name, .id = id, .is_special = true}, !is_mark(name),
            folder_ / "tokenizer_config.json");
    }
  }

  /// NLLB's <mask> follows the languages in folders that do not list it with them.
  void take_mask() {
    const auto mask = tokenizer_config_.token("mask_token", "");
    const bool has_row = pieces_.end() < pieces_.rows();
    if (mask.empty() || !has_row || pieces_.find(mask)) return;
    add({.text = mask, .id = pieces_.end(), .is_special = true}, false,
        folder_ / "tokenizer_config.json");
  }

  std::vector<std::string> listed_languages() const {
    auto listed = listed_special_tokens(folder_);
    if (!listed.empty() || tokenizer_config_.token("tokenizer_class", "") != "M2M100Tokenizer")
      return listed;
    const auto codes = tokenizer_config_.token("language_codes", "");
    return language_tokens(codes == "wmt21" ? wmt21_languages : m2m100_languages);
  }

  void add(const AddedToken& token, bool is_language, const fs::path& file) {
    pieces_.put(token.text, token.id, file);
    const auto id = static_cast<std::int32_t>(token.id);
    added_.push_back(id);
    if (token.is_special || is_language) hidden_.push_back(id);
    if (is_language) languages_.emplace(language_code(token.text), id);
  }

  /// The language that `generate` would force first; empty if it forces none.
  std::string forced_language() const {
    constexpr const char* key = "forced_bos_token_id";
    if (config_.of_search().value(key).is_null()) return "";
    const auto forced = config_.id(key);
    for (const auto& [code, id] : languages_)
      if (id == forced) return code;
    config_.of_search().refuse(key, "it is not one of the model's languages");
  }

  const fs::path& folder_;
  const HuggingFaceConfig& config_;
  fs::path spm_;
  HuggingFaceJson tokenizer_config_;
  PiecesById pieces_;
  LanguageIds languages_;
  std::vector<std::int32_t> added_, hidden_;  ///< cut out of texts; those of them that are no text
  SpecialIds special_;
};

}  // namespace

Vocabulary language_vocabulary(const fs::path& folder, const HuggingFaceConfig& config,
                               const Languages& languages, std::int64_t rows) {
  const LanguageTable table(folder, config, rows);
  return table.vocabulary(table.defaults(languages));
}

}  // namespace dragoman
