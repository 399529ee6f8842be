#include "dragoman/metrics/metric.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <set>

namespace dragoman {

namespace {

void check_lengths(const std::vector<std::string>& hypotheses,
                   const std::vector<ReferenceStream>& references) {
  if (hypotheses.empty())
    throw DataError("scoring: there are no hypotheses; give at least one line");
  if (references.empty())
    throw DataError("scoring: there are no references; give at least one stream");
  for (const auto& stream : references) {
    if (stream.size() != hypotheses.size())
      throw DataError(concat("scoring: ", hypotheses.size(), " hypotheses against ", stream.size(),
                             " references; they must be parallel"));
  }
}

std::vector<std::string_view> references_of(std::size_t line,
                                            const std::vector<ReferenceStream>& references) {
  std::vector<std::string_view> present;
  for (const auto& stream : references) {
    if (stream[line]) present.emplace_back(*stream[line]);
  }
  if (present.empty())
    throw DataError(concat("scoring: line ", line + 1, " has no reference; remove it"));
  return present;
}

/// References per line, 0 if that varies.
std::size_t references_per_line(std::size_t lines, const std::vector<ReferenceStream>& references) {
  std::set<std::size_t> counts;
  for (std::size_t line = 0; line < lines; ++line)
    counts.insert(references_of(line, references).size());
  return counts.size() == 1 ? *counts.begin() : 0;
}

}  // namespace

std::vector<double> SegmentStatistics::sum() const {
  std::vector<double> sums(width_, 0.0);
  for (std::size_t i = 0; i < values_.size(); ++i) sums[i % width_] += values_[i];
  return sums;
}

SegmentStatistics collect_statistics(const Metric& metric,
                                     const std::vector<std::string>& hypotheses,
                                     const std::vector<ReferenceStream>& references) {
  check_lengths(hypotheses, references);
  const auto per_line = references_per_line(hypotheses.size(), references);
  std::optional<SegmentStatistics> statistics;
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    const auto row = metric.segment(hypotheses[line], references_of(line, references));
    if (!statistics) statistics.emplace(row.size(), per_line);
    statistics->add(row);
  }
  return *std::move(statistics);
}

std::vector<ReferenceStream> complete_streams(
    const std::vector<std::vector<std::string>>& references) {
  std::vector<ReferenceStream> streams;
  for (const auto& stream : references) streams.emplace_back(stream.begin(), stream.end());
  return streams;
}

}  // namespace dragoman
