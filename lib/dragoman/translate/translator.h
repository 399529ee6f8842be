#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/model/transformer.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/translate/translation.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// How a Translator works, as opposed to what it searches for.
struct TranslatorOptions {
  std::int64_t workers = 0;  ///< threads, each with batches of its own; 0 = one per core
  std::int64_t threads = 1;  ///< of each worker; more only pay where sentences come one by one
  std::int64_t max_source_length = 256;  ///< pieces without EOS; longer text is split, then cut
  bool alignment = false;                ///< fill `Translation::alignment`
  bool pack = false;  ///< `pack_weights` in `search.precision`: the models are for translation only
  std::int64_t seed = 1;  ///< of what `search.sample` draws
};

/// Further information about the lines of one call.
struct LinesContext {
  /// The target prefix of each line, empty = no prefix; an empty list = no line has one.
  std::span<const std::string> prefixes;
  /// The first line's number in its text, from 0. What is drawn for a line depends only on the
  /// seed and its number.
  std::int64_t first_line = 0;
  /// Called after each batch, by one thread at a time, with the number of the call's parts (lines,
  /// or sentences of lines that were split) that have been translated and the number of all.
  std::function<void(std::int64_t done, std::int64_t parts)> progress = {};
};

/// Text to text: the class other programs would use.
///
///     const Translator translator(model, vocabulary, SearchOptions{.beam_size = 4});
///     const auto translations = translator.translate(lines);
///     std::cout << translations[0].text() << '\n';
///
/// Lines are sorted by length into batches and shared among workers of one LibTorch thread each;
/// neither changes the result. What is longer than `max_source_length` is split at sentence ends
/// and translated sentence by sentence; a sentence that is still longer is cut to its first
/// `max_source_length` pieces. Flags of the result show this.
///
/// A prefix is encoded like any other text, and the search continues after it; that of a line
/// that is split belongs to its first sentence. Several models form an ensemble: the mean of
/// their probabilities is used.
class Translator {
 public:
  /// The model is put into evaluation mode and must not be trained while `translate` runs.
  /// \throws OptionsError if `search.validate()` does or `options` are out of range.
  Translator(Transformer model, Vocabulary vocabulary, const SearchOptions& search,
             const TranslatorOptions& options = {});

  /// An ensemble. \param models with one vocabulary; at least one
  Translator(std::vector<Transformer> models, Vocabulary vocabulary, const SearchOptions& search,
             const TranslatorOptions& options = {});

  /// One translation for each line, in order. A blank line gives an empty text.
  /// May be called from several threads.
  /// \param lines valid UTF-8, no newline inside
  /// \throws DataError if a prefix has more pieces than a model with learned positions can write
  std::vector<Translation> translate(std::span<const std::string> lines,
                                     const LinesContext& context = {}) const;

  /// Human-readable settings: "2 workers of 1 thread, batches of 512 source pieces, int8 weights
  /// packed for this processor's instructions".
  std::string description() const;

 private:
  std::vector<Transformer> models_;
  Vocabulary vocabulary_;
  SearchOptions search_;
  TranslatorOptions options_;
};

}  // namespace dragoman
