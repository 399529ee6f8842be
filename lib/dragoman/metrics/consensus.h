#pragma once

#include "dragoman/metrics/metric.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

/// The utility of a translation with another as its reference, 0 to 100: chrF2, or BLEU of a
/// sentence (13a, exponential smoothing, effective order).
enum class Utility { chrf, bleu };

/// "chrf" or "bleu"; none for another name.
std::optional<Utility> utility_named(std::string_view name);

/// Measures it: `score(segment(translation, {reference}))`.
std::unique_ptr<const Metric> utility_metric(Utility utility);

/// A sample and its mean utility against all samples, itself included.
struct Consensus {
  std::size_t sample = 0;
  double utility = 0.0;
};

/// The sample of highest mean utility: minimum Bayes risk decoding (Eikema and Aziz, 2020, "Is MAP
/// Decoding All You Need?", section 5), where `samples` are both the candidates and the
/// translations that might be right. Of equally good ones it is the first.
///
/// The same, to the last bit, as `Metric::segment` and `score` of each pair, but n-grams are
/// counted once for each distinct sample, and equal samples are compared once.
/// \param samples at least one, valid UTF-8
Consensus consensus(std::span<const std::string> samples, Utility utility);

}  // namespace dragoman
