#include "dragoman/convert/huggingface_languages.h"

#include "dragoman/convert/huggingface_added_tokens.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/text/piece_table.h"

#include <algorithm>
#include <optional>
#include <string_view>
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
        pieces_(static_cast<std::size_t>(rows)) {
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
    name_unused_rows();
    special_ = {.pad = special_id("pad_token_id"),
                .unk = id_of("<unk>"),
                .bos = inside("decoder_start_token_id", config.start_id()),
                .eos = special_id("eos_token_id")};
    if (std::ranges::find(hidden_, special_.bos) == hidden_.end())
      config.expect_no_text_start(special_, *pieces_[static_cast<std::size_t>(special_.bos)]);
  }

  /// \param languages that the texts begin with; empty = none yet
  Vocabulary vocabulary(const Languages& languages) const {
    PieceTable table{.special = special_, .languages = languages_};
    for (const auto& piece : pieces_) table.pieces.push_back(*piece);
    table.literals = added_;
    table.not_text = hidden_;
    for (const char* name : {"<s>", "<pad>", "</s>", "<unk>"}) {
      table.literals.push_back(id_of(name));
      table.not_text.push_back(id_of(name));
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
    return {.source = given.source.empty() ? tokenizer_config_.text("src_lang", "") : given.source,
            .target = target.empty() ? tokenizer_config_.text("tgt_lang", "") : target};
  }

 private:
  [[noreturn]] static void refuse(const fs::path& file, const std::string& fact) {
    throw FormatError(concat(file.string(), ": ", fact));
  }

  std::int64_t special_id(const char* key) const { return inside(key, config_.id(key)); }

  std::int64_t inside(const char* key, std::int64_t id) const {
    if (id < 0 || id >= std::ssize(pieces_))
      config_.refuse(key, concat("the model has only ", pieces_.size(), " rows"));
    return id;
  }

  void put(const std::string& piece, std::int64_t id, const fs::path& file) {
    if (id < 0 || id >= std::ssize(pieces_))
      refuse(file, concat("the piece ", printable(piece, 40), " has the id ", id,
                          ", but the model has only ", pieces_.size(), " rows"));
    auto& place = pieces_[static_cast<std::size_t>(id)];
    if (place && *place != piece)
      refuse(file, concat("the pieces ", printable(*place, 40), " and ", printable(piece, 40),
                          " have the id ", id));
    place = piece;
    known_ = std::max(known_, id + 1);
  }

  void take_vocabulary(const fs::path& file) {
    for (const auto& [piece, id] : read_piece_ids(file)) put(piece, id, file);
  }

  /// fairseq has four special pieces in front; SentencePiece three, in another order.
  void take_sentencepiece() {
    const auto model = Tokenizer::load(spm_);
    const auto count = model.vocab_size() - (model.special().pad == model.vocab_size() - 1 ? 1 : 0);
    std::int64_t id = 0;
    for (const char* name : {"<s>", "<pad>", "</s>", "<unk>"}) put(name, id++, spm_);
    for (std::int32_t i = 3; i < count; ++i) put(model.piece(i), i + 1, spm_);
  }

  /// Their ids as the added tokens give them, else one after the other behind all pieces.
  void take_languages() {
    const auto listed = listed_languages();
    const auto added = added_tokens(folder_, AddedTokensFirst::tokenizer_json);
    auto next = known_;
    for (const auto& token : added.tokens) {
      const bool is_listed = std::ranges::find(listed, token.text) != listed.end();
      const bool is_mark = token.text.starts_with('<') && token.text.ends_with('>');
      const bool is_language =
          !is_mark && (is_listed || (token.is_special && is_like_language(token.text)));
      add(token, is_language, added.file);
    }
    if (added.file.filename() == "tokenizer.json") return;  // which has them all
    for (const auto& token : listed) {
      const auto id = next++;
      const bool is_mark = token.starts_with('<') && token.ends_with('>');
      if (!is_known(token))
        add({.text = token, .id = id, .is_special = true}, !is_mark,
            folder_ / "tokenizer_config.json");
    }
  }

  /// NLLB's <mask> follows the languages in folders that do not list it with them.
  void take_mask() {
    const auto mask = tokenizer_config_.text("mask_token", "");
    const bool has_row = known_ < std::ssize(pieces_);
    if (mask.empty() || !has_row || is_known(mask)) return;
    add({.text = mask, .id = known_, .is_special = true}, false, folder_ / "tokenizer_config.json");
  }

  std::vector<std::string> listed_languages() const {
    auto listed = listed_special_tokens(folder_);
    if (!listed.empty() || tokenizer_config_.text("tokenizer_class", "") != "M2M100Tokenizer")
      return listed;
    const auto codes = tokenizer_config_.text("language_codes", "");
    return language_tokens(codes == "wmt21" ? wmt21_languages : m2m100_languages);
  }

  bool is_known(const std::string& piece) const {
    return std::ranges::find(pieces_, std::optional(piece)) != pieces_.end();
  }

  void add(const AddedToken& token, bool is_language, const fs::path& file) {
    put(token.text, token.id, file);
    const auto id = static_cast<std::int32_t>(token.id);
    added_.push_back(id);
    if (token.is_special || is_language) hidden_.push_back(id);
    if (is_language) languages_.emplace(language_code(token.text), id);
  }

  /// Rows that only fill the matrix up.
  void name_unused_rows() {
    std::int64_t number = 0;
    for (auto& piece : pieces_)
      if (!piece) piece = concat("madeupword", number++);
  }

  std::int32_t id_of(const std::string& name) const {
    const auto found = std::ranges::find(pieces_, std::optional(name));
    if (found == pieces_.end())
      refuse(folder_, concat("its vocabulary has no piece ", name, ", which the tokenizer needs"));
    return static_cast<std::int32_t>(found - pieces_.begin());
  }

  /// The language that `generate` would force first; empty if it forces none.
  std::string forced_language() const {
    constexpr const char* key = "forced_bos_token_id";
    if (config_.search_option(key).is_null()) return "";
    const auto forced = config_.id(key);
    for (const auto& [code, id] : languages_)
      if (id == forced) return code;
    config_.refuse(key, "it is not one of the model's languages");
  }

  const fs::path& folder_;
  const HuggingFaceConfig& config_;
  fs::path spm_;
  HuggingFaceJson tokenizer_config_;
  std::vector<std::optional<std::string>> pieces_;
  LanguageIds languages_;
  std::vector<std::int32_t> added_, hidden_;  ///< cut out of texts; those of them that are no text
  std::int64_t known_ = 0;                    ///< one past the last id so far
  SpecialIds special_;
};

}  // namespace

Vocabulary language_vocabulary(const fs::path& folder, const HuggingFaceConfig& config,
                               const Languages& languages, std::int64_t rows) {
  const LanguageTable table(folder, config, rows);
  return table.vocabulary(table.defaults(languages));
}

}  // namespace dragoman
