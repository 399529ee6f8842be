#include "dragoman/translate/alignment.h"

#include <algorithm>
#include <functional>

namespace dragoman {

namespace {

/// \param attention of one pair, their sum over the models
std::vector<AlignmentLink> strongest_links(const PairAttention& attention,
                                           std::int64_t source_pieces, std::int64_t target_pieces) {
  std::vector<AlignmentLink> links;
  if (source_pieces == 0) return links;
  for (std::int64_t j = 0; j < target_pieces; ++j) {
    const auto* row = attention.weights.data() + j * attention.source_len;
    links.push_back({std::max_element(row, row + source_pieces) - row, j});
  }
  return links;
}

std::int64_t pieces_before_eos(std::span<const std::int32_t> ids, std::int64_t eos) {
  return std::ssize(ids) - (!ids.empty() && ids.back() == eos ? 1 : 0);
}

}  // namespace

std::vector<std::vector<AlignmentLink>> align(const EnsembleWorker& worker, Sentences sources,
                                              Sentences targets, std::int64_t source_eos,
                                              std::int64_t target_eos,
                                              const std::stop_token& stop) {
  auto sums = worker.front()->attention(sources, targets, stop);
  for (const auto& member : std::span(worker).subspan(1)) {
    const auto more = member->attention(sources, targets, stop);
    for (std::size_t i = 0; i < sums.size(); ++i)
      std::ranges::transform(sums[i].weights, more[i].weights, sums[i].weights.begin(),
                             std::plus<>());
  }
  std::vector<std::vector<AlignmentLink>> links;
  for (std::size_t i = 0; i < sources.size(); ++i)
    links.push_back(strongest_links(sums[i], pieces_before_eos(sources[i], source_eos),
                                    pieces_before_eos(targets[i], target_eos)));
  return links;
}

}  // namespace dragoman
