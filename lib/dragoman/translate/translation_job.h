#pragma once

#include "dragoman/data/buckets.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/workers.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// What a LineTranslator has; all of it must outlive the job.
struct TranslationJobParts {
  const InferenceModels& models;
  const Vocabulary& vocabulary;
  const SearchOptions& search;
  const LineTranslatorOptions& options;
  InferenceWorkers& workers;
};

/// One call of `LineTranslator::translate`: lines are split into parts, parts are searched in
/// batches of similar length, and the results are joined by line.
class TranslationJob {
 public:
  /// \param parts as LineTranslator has checked them
  TranslationJob(const TranslationJobParts& parts, const LinesContext& context);

  /// To be called once. \return one translation for each line, in order
  std::vector<Translation> run(std::span<const std::string> lines);

 private:
  using Ids = std::vector<std::int32_t>;

  /// A part of a line, and what the search has found for it.
  struct Part {
    Ids source;                                               ///< EOS included
    std::string text;                                         ///< whose pieces these are
    bool cut = false;                                         ///< only its first pieces are
    Ids prefix = {};                                          ///< of the target
    std::string prefix_text = {};                             ///< whose pieces these are
    std::uint64_t stream = 0;                                 ///< of its random numbers
    std::vector<Hypothesis> n_best = {};                      ///< when it has been searched
    std::vector<std::vector<AlignmentLink>> alignments = {};  ///< of each of them, if needed
    std::vector<RerankScore> reranked = {};                   ///< of each of them, if reranked
  };

  /// One of the hypotheses of a part.
  struct FoundHypothesis {
    Part* part;
    std::size_t rank;
  };

  void encode(std::span<const std::string> lines);
  void encode_line(std::size_t line, std::string_view text);
  void add_prefix(std::size_t line, std::string_view text);
  std::int64_t number_of(std::size_t line) const;

  void rerank_all();
  void rerank(Part& part, const std::vector<RerankScore>& scores) const;
  std::string text_read(const Part& part) const;

  void search_all();
  void search_batch(const EnsembleWorker& worker, const BatchIndices& batch);
  std::int64_t max_target_length(const Part& part) const;
  void keep_distinct(std::vector<Hypothesis>& found) const;
  void erase_equal_copies(Part& part) const;
  bool has_unknown(const Hypothesis& hypothesis) const;
  bool copies_unknown(const Hypothesis& hypothesis) const;

  void align_some(const EnsembleWorker& worker, std::span<const FoundHypothesis> wanted) const;
  void align_batch(const EnsembleWorker& worker, const BatchIndices& batch);
  void align_all(std::span<const FoundHypothesis> wanted);
  void align_reranked();
  void align_chosen();

  void assemble(std::size_t line);
  void choose_samples();
  void tell_of_chosen(std::size_t line, std::size_t sample);
  void append_part(Translation& translation, const Part& part) const;
  void append(Alternative& alternative, const Part& part, std::size_t rank, bool is_first) const;
  std::vector<std::string> pieces_of(const Part& part, std::size_t rank) const;
  std::span<const std::int32_t> source_without_eos(const Part& part) const;
  std::string text_of(const Hypothesis& hypothesis) const;
  std::string text_of(const Part& part, std::size_t rank) const;
  bool has_distinct_texts() const;

  const Vocabulary& vocabulary_;
  const SpecialIds source_special_, target_special_;
  const SearchOptions search_;  // whose n_best is the beam, if that is reranked
  const std::int64_t n_best_;   // of the result
  const LineTranslatorOptions& options_;
  InferenceWorkers& workers_;
  const LinesContext& context_;
  const std::int64_t longest_target_;
  const double bytes_per_sentence_;            // of a search; 0 = no bound
  std::vector<Translation> translations_;      // of each line
  std::vector<std::vector<Part>> line_parts_;  // of each line
  std::vector<Part*> parts_;                   // of all lines
  std::vector<std::size_t> chosen_;            // of each line's samples, by their consensus
  std::atomic<std::int64_t> parts_done_ = 0;
};

}  // namespace dragoman
