#include "dragoman/translate/translation_alignment.h"

#include "dragoman/translate/alignment.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

/// \param wanted at least one, of parts whose `alignments` have a place for each hypothesis
void align_some(const TranslationTask& task, const EnsembleWorker& worker,
                std::span<const FoundHypothesis> wanted) {
  std::vector<std::span<const std::int32_t>> sources, targets;
  for (const auto& [part, rank] : wanted) {
    sources.emplace_back(part->source);
    targets.emplace_back(part->n_best[rank].ids);
  }
  auto links = align(worker, sources, targets, task.vocabulary.source.special().eos,
                     task.vocabulary.target.special().eos, task.context.stop);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    wanted[k].part->alignments[wanted[k].rank] = std::move(links[k]);
}

}  // namespace

void align_found(const TranslationTask& task, const EnsembleWorker& worker,
                 std::span<TranslationPart* const> batch) {
  const bool are_result = !task.options.reranker && !task.options.consensus;
  std::size_t longest = 0;
  for (auto* part : batch) {
    part->alignments.resize(part->n_best.size());
    longest = std::max(longest, part->n_best.size());
  }
  for (std::size_t rank = 0; rank < longest; ++rank) {
    std::vector<FoundHypothesis> wanted;
    for (auto* part : batch) {
      const auto& found = part->n_best;
      if (rank < found.size() && !found[rank].ids.empty() &&
          ((task.options.alignment && are_result) || task.copies_unknown(found[rank])))
        wanted.push_back({part, rank});
    }
    if (!wanted.empty()) align_some(task, worker, wanted);
  }
}

void align_chosen(const TranslationTask& task, std::span<const FoundHypothesis> chosen) {
  std::vector<FoundHypothesis> wanted;
  for (const auto& one : chosen) {
    const auto& hypothesis = one.part->n_best[one.rank];
    if (!hypothesis.ids.empty() && !task.copies_unknown(hypothesis)) wanted.push_back(one);
  }
  const auto align_batch = [&](const EnsembleWorker& worker, std::size_t first, std::size_t last) {
    align_some(task, worker, std::span(wanted).subspan(first, last - first));
  };
  task.workers.run_in_chunks(std::ssize(wanted), 32, align_batch, task.context.stop);
}

}  // namespace dragoman
