#include "dragoman/shortlist/shortlist_coverage.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

namespace dragoman {

std::string ShortlistCoverage::text(std::int64_t vocab_size) const {
  const auto percent = [](std::int64_t part, std::int64_t all) {
    return all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  const double mean = pairs == 0 ? 0.0 : static_cast<double>(allowed) / static_cast<double>(pairs);
  return concat(decimal(percent(covered, target_pieces), 2), " % of ", grouped(target_pieces),
                " target pieces, all pieces of ", decimal(percent(complete, pairs), 1), " % of ",
                counted(pairs, "sentence"), ", and allows ", decimal(mean, 0), " of ",
                grouped(vocab_size), " pieces per sentence");
}

ShortlistCoverage coverage_of(const Shortlist& shortlist, std::span<const Example> pairs) {
  ShortlistCoverage coverage;
  PieceSet allowed(shortlist.vocabulary.sizes.target);
  for (const auto& pair : pairs) {
    allowed.clear();
    shortlist.allow(pair.source_ids, allowed);
    const auto before = coverage.target_pieces - coverage.covered;
    for (const auto id : std::span(pair.target_ids).first(pair.target_ids.size() - 1)) {
      ++coverage.target_pieces;
      if (allowed.contains(id)) ++coverage.covered;
    }
    ++coverage.pairs;
    if (coverage.target_pieces - coverage.covered == before) ++coverage.complete;
    coverage.allowed += allowed.size();
  }
  return coverage;
}

}  // namespace dragoman
