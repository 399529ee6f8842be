#pragma once

#include "dragoman/data/buckets.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/source_line.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// One call of `LineTranslator::translate`: lines are split into parts, parts are searched in
/// batches of similar length, and the results are joined by line.
class TranslationJob {
 public:
  /// All arguments must outlive the job; those of `LineTranslator`, which has checked them.
  TranslationJob(std::span<const Transformer> models, const Vocabulary& vocabulary,
                 const SearchOptions& search, const LineTranslatorOptions& options,
                 const LinesContext& context);

  /// To be called once. \return one translation for each line, in order
  std::vector<Translation> run(std::span<const std::string> lines);

 private:
  using Ids = std::vector<std::int32_t>;

  /// A part of a line that is to be translated.
  struct SourcePart {
    Ids ids;                   ///< EOS included
    Ids prefix;                ///< the target prefix
    std::uint64_t stream = 0;  ///< of its random numbers
  };

  /// What the search has found for one part of a line.
  struct TranslatedPart {
    std::vector<Hypothesis> n_best;
    std::vector<std::vector<AlignmentLink>> alignments;  ///< of each of them; empty = not asked for
  };

  /// The target prefix of a line.
  struct Prefix {
    Ids ids;
    std::optional<char32_t> unknown;  ///< its first character that the vocabulary lacks
  };

  void encode(std::span<const std::string> lines);
  Prefix encode_prefix(std::size_t line) const;
  std::int64_t number_of(std::size_t line) const;
  void add_part(std::size_t line, std::size_t part);

  void search_all();
  void search_batch(const BatchIndices& batch);
  std::int64_t max_target_length(const SourcePart& source) const;
  void keep_distinct(std::vector<Hypothesis>& found) const;
  void align_batch(const BatchIndices& batch, std::size_t rank);
  void tell_progress(std::size_t parts);

  Translation assemble(std::size_t line) const;
  void append_part(Translation& translation, std::size_t index) const;
  void append(Alternative& alternative, const Hypothesis& hypothesis) const;
  std::string text_of(const Hypothesis& hypothesis) const;
  bool has_distinct_texts() const;

  const std::span<const Transformer> models_;
  const Vocabulary& vocabulary_;
  const SpecialIds source_special_, target_special_;
  const SearchOptions& search_;
  const LineTranslatorOptions& options_;
  const LinesContext& context_;
  const std::int64_t longest_target_;
  std::vector<SourceLine> lines_;  // their parts moved to sources_
  std::vector<Prefix> prefixes_;   // of each line, ids moved to sources_; empty = there are none
  std::vector<std::size_t> first_part_;  // of each line, in sources_ and parts_
  std::vector<SourcePart> sources_;      // parts of all lines
  std::vector<TranslatedPart> parts_;
  std::mutex progress_mutex_;
  std::int64_t parts_done_ = 0;
};

}  // namespace dragoman
