#pragma once

#include "dragoman/search/hypothesis.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/workers.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// The unit of a search: a line, or a sentence of a line that was split.
struct TranslationPart {
  std::vector<std::int32_t> source;       ///< ids, as `Tokenizer::end_source` ends them
  std::string text;                       ///< that `source` encodes
  bool cut = false;                       ///< `source` has only the first pieces of `text`
  std::vector<std::int32_t> prefix = {};  ///< ids of the target
  std::string prefix_text = {};           ///< that `prefix` encodes
  std::uint64_t stream = 0;               ///< of its random numbers
  std::vector<Hypothesis> n_best = {};    ///< once it has been searched
  std::vector<std::vector<AlignmentLink>> alignments = {};  ///< of each of them, if needed
  std::vector<RerankScore> reranked = {};                   ///< of each of them, if reranked
};

/// A line on its way through the stages of a TranslationTask.
struct LineInWork {
  std::vector<TranslationPart> parts = {};  ///< none if the line is blank
  std::size_t chosen = 0;                   ///< the sample that is the translation
  Translation translation = {};
};

/// One call of `LineTranslator::translate`: what its stages share. They follow each other as
/// `encode_lines`, `search_parts`, `rerank_parts`, `join_parts` and `choose_samples`.
struct TranslationTask {
  const InferenceModels& models;
  const Vocabulary& vocabulary;
  const SearchOptions& search;
  const LineTranslatorOptions& options;
  EnsembleWorkers& workers;
  const LinesContext& context;

  /// Hypotheses that a part keeps after its search: a reranker chooses among all of the beam.
  std::int64_t kept_candidates() const;

  /// Whether hypotheses with equal texts count as one. Samples do not: how often one is drawn tells
  /// how probable it is.
  bool wants_distinct_texts() const;

  bool has_unknown(const Hypothesis& hypothesis) const;

  /// Whether the text of the hypothesis depends on its alignment.
  bool copies_unknown(const Hypothesis& hypothesis) const;

  /// The limit of the part's translations, EOS included.
  std::int64_t max_target_length(const TranslationPart& part) const;
};

}  // namespace dragoman
