#include "dragoman/core/error.h"
#include "dragoman/translate/alignment.h"
#include "dragoman/translate/translation_job.h"

#include <algorithm>

// Which hypotheses are aligned with their sources, and when: as few as are needed.
namespace dragoman {

/// \param wanted at least one, of parts whose `alignments` have a place for each hypothesis
void TranslationJob::align_some(const EnsembleWorker& worker,
                                std::span<const FoundHypothesis> wanted) const {
  expect_no_stop(context_.stop);
  std::vector<std::span<const std::int32_t>> sources, targets;
  for (const auto& [part, rank] : wanted) {
    sources.emplace_back(part->source);
    targets.emplace_back(part->n_best[rank].ids);
  }
  auto links = align(worker, sources, targets, source_special_.eos, target_special_.eos);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    wanted[k].part->alignments[wanted[k].rank] = std::move(links[k]);
}

/// Right after the search: all hypotheses if they are the result; of candidates that are chosen
/// from later, those whose texts depend on it. One rank at a time, to take no more memory than the
/// search.
void TranslationJob::align_batch(const EnsembleWorker& worker, const BatchIndices& batch) {
  const bool are_result = !options_.reranker && !options_.consensus;
  for (const auto i : batch) parts_[i]->alignments.resize(parts_[i]->n_best.size());
  for (std::int64_t n = 0; n < search_.n_best; ++n) {
    const auto rank = static_cast<std::size_t>(n);
    std::vector<FoundHypothesis> wanted;
    for (const auto i : batch) {
      const auto& found = parts_[i]->n_best;
      if (rank < found.size() &&
          ((options_.alignment && are_result) || copies_unknown(found[rank])))
        wanted.push_back({parts_[i], rank});
    }
    if (!wanted.empty()) align_some(worker, wanted);
  }
}

void TranslationJob::align_all(std::span<const FoundHypothesis> wanted) {
  constexpr std::size_t at_once = 32;
  const auto batches = static_cast<std::int64_t>((wanted.size() + at_once - 1) / at_once);
  const auto align_part = [&](const EnsembleWorker& worker, std::int64_t b) {
    const auto first = static_cast<std::size_t>(b) * at_once;
    align_some(worker, wanted.subspan(first, std::min(at_once, wanted.size() - first)));
  };
  workers_.run(batches, align_part, context_.stop);
}

/// What the reranker has kept.
void TranslationJob::align_reranked() {
  if (!options_.alignment) return;
  std::vector<FoundHypothesis> wanted;
  for (auto* part : parts_)
    for (std::size_t rank = 0; rank < part->n_best.size(); ++rank)
      if (!copies_unknown(part->n_best[rank])) wanted.push_back({part, rank});
  align_all(wanted);
}

/// The chosen sample of each line.
void TranslationJob::align_chosen() {
  if (!options_.alignment) return;
  const auto rank_of = [this](std::size_t line, const Part& part) {
    return std::min(chosen_[line], part.n_best.size() - 1);
  };
  std::vector<FoundHypothesis> wanted;
  for (std::size_t line = 0; line < line_parts_.size(); ++line)
    for (auto& part : line_parts_[line])
      if (!part.n_best.empty() && !copies_unknown(part.n_best[rank_of(line, part)]))
        wanted.push_back({&part, rank_of(line, part)});
  align_all(wanted);
  for (std::size_t line = 0; line < line_parts_.size(); ++line) {
    std::int64_t source_offset = 0, target_offset = 0;
    for (const auto& part : line_parts_[line]) {
      if (part.n_best.empty()) continue;
      const auto rank = rank_of(line, part);
      for (const auto& [i, j] : part.alignments[rank])
        translations_[line].n_best.front().alignment.push_back(
            {source_offset + i, target_offset + j});
      source_offset += std::ssize(source_without_eos(part));
      target_offset += std::ssize(pieces_of(part, rank));
    }
  }
}

}  // namespace dragoman
