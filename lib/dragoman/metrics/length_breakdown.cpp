#include "dragoman/metrics/length_breakdown.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/metrics/chrf.h"

#include <algorithm>
#include <functional>

namespace dragoman {

namespace {

/// The sums of the statistics of the lines of each class.
std::vector<std::vector<double>> sums_by_class(const SegmentStatistics& statistics,
                                               const std::vector<std::size_t>& class_of_line,
                                               std::size_t classes) {
  std::vector<std::vector<double>> sums(classes, std::vector<double>(statistics.width(), 0.0));
  for (std::size_t i = 0; i < statistics.segments(); ++i) {
    const auto row = statistics.row(i);
    auto& sum = sums[class_of_line[i]];
    std::ranges::transform(row, sum, sum.begin(), std::plus<>());
  }
  return sums;
}

}  // namespace

std::vector<LengthClass> scores_by_length(std::span<const std::string> sources,
                                          const std::vector<std::string>& hypotheses,
                                          const std::vector<std::string>& references,
                                          const BleuOptions& options) {
  if (sources.size() != hypotheses.size())
    throw DataError(concat("scores by length: ", sources.size(), " sources of ", hypotheses.size(),
                           " hypotheses"));
  const auto ranges = count_ranges({0, 5, 10, 20, 40, 80, 160});
  const Bleu bleu(options);
  const Chrf chrf;
  std::vector<std::size_t> class_of_line;
  std::vector<std::int64_t> lines(ranges.size(), 0);
  for (const auto& source : sources) {
    class_of_line.push_back(range_of(ranges, std::ssize(bleu.tokens(source))));
    ++lines[class_of_line.back()];
  }
  const auto streams = complete_streams({references});
  const auto of_bleu =
      sums_by_class(collect_statistics(bleu, hypotheses, streams), class_of_line, ranges.size());
  const auto of_chrf =
      sums_by_class(collect_statistics(chrf, hypotheses, streams), class_of_line, ranges.size());
  std::vector<LengthClass> classes;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    if (lines[c] == 0) continue;
    const auto score = bleu.evaluate(of_bleu[c]);
    classes.push_back({.words = ranges[c],
                       .lines = lines[c],
                       .bleu = score.score,
                       .chrf = chrf.score(std::span<const double>(of_chrf[c])),
                       .length_ratio = score.ratio()});
  }
  return classes;
}

}  // namespace dragoman
