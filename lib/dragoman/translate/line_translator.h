#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/inference/inference_model.h"
#include "dragoman/metrics/consensus.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/translate/reranker.h"
#include "dragoman/translate/translation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Source pieces of a batch on a GPU: enough rows for products that fill it, and about 4 GiB of
/// keys and values of the paper's base model in a beam of 4.
inline constexpr std::int64_t gpu_batch_tokens = 8192;

/// How a LineTranslator works, as opposed to what it searches for.
struct LineTranslatorOptions {
  std::int64_t workers = 0;  ///< each with batches of its own; 0 = cores / threads, on a GPU 2
  std::int64_t threads = 1;  ///< of each worker; more only pay where sentences come one by one
  std::int64_t max_source_length = 256;  ///< pieces without EOS; longer text is split, then cut
  bool alignment = false;                ///< fill `Alternative::alignment`
  std::int64_t seed = 1;                 ///< of what `search.sample` draws
  /// `search.batch_tokens` was asked for. If not, its default is for CPUs, and models on a GPU get
  /// batches of `gpu_batch_tokens`.
  bool batch_tokens_given = false;
  /// Minimum Bayes risk decoding: of the `search.n_best` samples of a line, the one with the
  /// highest mean utility is its translation; none = samples are alternatives.
  std::optional<Utility> consensus = {};
  /// Which target pieces translations may consist of, with those of prefixes; null = all.
  std::shared_ptr<const Shortlist> shortlist = {};
  /// Chooses again among all `search.beam_size` hypotheses of a beam, of which `search.n_best` are
  /// returned; null = the search's order.
  std::shared_ptr<const Reranker> reranker = {};
};

/// Text to text by models that are in memory; `dragoman::Translator` (dragoman/translator.h) does
/// so by those of a run on disk.
///
///     const LineTranslator translator({model}, vocabulary, SearchOptions{.beam_size = 4});
///     const auto translations = translator.translate(lines);
///     std::cout << translations[0].text() << '\n';
///
/// Lines are sorted by length into batches and shared among workers, each with threads of its own;
/// neither changes the result, but for an ensemble's score of a prefix (by less than 1e-5). What is
/// longer than `max_source_length` is split at sentence ends and translated sentence by sentence; a
/// sentence that is still longer is cut to its first `max_source_length` pieces. Flags of the
/// result show this.
///
/// A prefix is encoded like any other text, and the search continues after it; that of a line
/// that is split belongs to its first sentence. Several models form an ensemble: the mean of
/// their probabilities is used.
class LineTranslator {
 public:
  /// \param models one, or several with one vocabulary as an ensemble; their precision, and whether
  ///     they keep keys and values, are those that they were made with, whatever `search` says
  /// \throws OptionsError if `search.validate()` does, `options` are out of range, there is a
  ///     shortlist and a model that takes none, a consensus without sampling, or a reranker without
  ///     a beam
  LineTranslator(InferenceModels models, Vocabulary vocabulary, const SearchOptions& search,
                 const LineTranslatorOptions& options = {});

  /// Another search with the models of `other`, and with its threads if it has as many, and the
  /// same shortlist.
  /// \param vocabulary of the same models; its languages may be others
  /// \throws as above
  LineTranslator(const LineTranslator& other, Vocabulary vocabulary, const SearchOptions& search,
                 const LineTranslatorOptions& options);

  /// One translation for each line, in order. A blank line gives an empty text.
  /// May be called from several threads.
  /// \param lines valid UTF-8, no newline inside
  /// \throws LineError for the first line whose prefix reaches the length limit or has the piece
  ///     that ends a translation; DataError if an output is not finite;
  ///     ContractError if there are prefixes, but not one for each line; Cancelled if
  ///     `context.stop` asks for it
  std::vector<Translation> translate(std::span<const std::string> lines,
                                     const LinesContext& context = {}) const;

  /// Human-readable settings: "2 workers of 1 thread, batches of 512 source pieces, int8 weights
  /// packed for AVX-512 VNNI".
  std::string description() const;

  /// Pieces without EOS that are translated at once: those of the options, or of the models if they
  /// have fewer positions.
  std::int64_t max_source_length() const;

  /// Pieces of a translation, EOS included, that all models have positions for, whatever the search
  /// allows; the largest number if they have any number.
  std::int64_t longest_translation() const;

 private:
  struct Parts;
  static std::shared_ptr<const Parts> parts_of(InferenceModels models, Vocabulary vocabulary,
                                               const SearchOptions& search,
                                               const LineTranslatorOptions& options,
                                               const Parts* other);

  std::shared_ptr<const Parts> parts_;
};

/// \param what reranks, for the message
/// \throws OptionsError if the search leaves a reranker nothing to choose from
void expect_hypotheses_to_rerank(const SearchOptions& search, const std::string& what);

}  // namespace dragoman
