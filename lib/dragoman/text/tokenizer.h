#pragma once

#include "dragoman/text/example.h"
#include "dragoman/text/model_check.h"
#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Text to pieces and back, by a SentencePiece model. Its pieces may have the ids of another
/// system's vocabulary (`text/piece_table.h`). Copies share the model; all const members may be
/// called from several threads.
class Tokenizer {
 public:
  /// \throws DataError if the file cannot be read, FormatError if it is no usable model: damaged,
  ///     without an unknown, a begin or an end piece, or with pieces that cannot be text.
  static Tokenizer load(const std::filesystem::path& file);

  /// The same from the file's bytes, or from those of `with_piece_table`; `place` names them in
  /// messages.
  static Tokenizer from_bytes(std::string bytes, const std::string& place);

  /// Ids of `text` after those of `prefix()`, without BOS and EOS; a tag that the text begins with
  /// itself comes before all, as in training. Names of special pieces in the
  /// text are plain text: no control id ever comes from it, unless the other system does so.
  std::vector<std::int32_t> encode(std::string_view text) const;

  /// The same as texts.
  std::vector<std::string> pieces(std::string_view text) const;

  /// The tag of a target language that `text` begins with itself, as its lines may for a model of
  /// several; empty if there is none.
  std::string_view own_tag(std::string_view text) const;

  /// Ids that every text begins with: that of its language in a model of many; most have none.
  const std::vector<std::int32_t>& prefix() const;

  /// Ids of the languages by their codes, for a model whose texts each begin with one: M2M100 and
  /// NLLB; empty for all others.
  const LanguageIds& languages() const;

  /// \throws OptionsError if there are `languages`, but none is in `prefix`
  void expect_language() const;

  /// The same tokenizer, whose texts begin with these ids instead.
  Tokenizer with_prefix(std::vector<std::int32_t> ids) const;

  /// Turns the ids of a text into those of a source: appends EOS, unless the other system's models
  /// read sources without it. A source is never empty: then it is EOS alone.
  void end_source(std::vector<std::int32_t>& ids) const;
  bool ends_sources() const;  ///< whether sources with text end with EOS

  /// The text of `ids` on one line: special ids are skipped, controls become blanks.
  /// \throws ContractError if an id is outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids) const;

  /// The same of pieces by name, as SentencePiece decodes them: a name that is not one of its
  /// pieces, as `pieces` gives for unknown characters, is text itself.
  std::string decode(const std::vector<std::string>& pieces) const;

  /// The piece with this id, "<pad>" for padding that the model lacks.
  /// \throws ContractError if the id is outside the vocabulary.
  std::string piece(std::int32_t id) const;

  /// The id of a piece; that of the unknown piece if there is none.
  std::int32_t id(std::string_view piece) const;

  /// The score of a piece: for unigram its log-probability, for BPE higher if it is merged
  /// earlier; none for pieces other than text: control, unknown, user-defined, bytes.
  /// \throws ContractError if the id is outside the vocabulary.
  std::optional<float> score(std::int32_t id) const;

  Segmentation segmentation() const;

  /// Rows that a model needs: the pieces, and one after them for padding where the model has none.
  std::int64_t vocab_size() const;

  SpecialIds special() const;

  /// The tokenizer as a file holds it.
  const std::string& bytes() const;

  /// The SentencePiece model alone, as a file holds it.
  std::string_view sentencepiece() const;

 private:
  struct Model;

  /// Puts the items of the prefix in front of those of a text, or behind its own tag.
  template <typename Item>
  std::vector<Item> with_prefix_items(std::vector<Item> prefix, std::vector<Item> of_text,
                                      std::string_view text) const;

  explicit Tokenizer(std::shared_ptr<const Model> model);

  std::shared_ptr<const Model> model_;
  std::vector<std::int32_t> prefix_;
};

/// The tokenizers of both sides; the same one twice if the vocabulary is joint.
struct Vocabulary {
  Tokenizer source;
  Tokenizer target;
  bool joint;
};

}  // namespace dragoman
