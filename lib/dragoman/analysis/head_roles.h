#pragma once

#include "dragoman/analysis/head_statistics.h"

#include <string>
#include <vector>

namespace dragoman {

/// The roles indicated by the statistics: "previous", "self", "next", "first", "last", "short
/// range", "long range", "spread", "sharp", "semantic". Distances are meaningless between two
/// languages, so encoder-decoder heads have only "first", "last", "spread" and "sharp".
std::vector<std::string> roles_of(AttentionPart kind, const HeadStatistics& head);

/// The thresholds of these roles: "weight on a position >= 0.5, short range <= 2 tokens, ..."
std::string threshold_text();

/// The mean over the heads of a layer.
struct LayerSummary {
  AttentionPart kind = AttentionPart::encoder;
  std::int64_t layer = 0;      ///< from 0
  double entropy = 0.0;        ///< nats
  double mean_distance = 0.0;  ///< tokens
  double neighbours = 0.0;     ///< weight on previous, same and next position
};

std::vector<LayerSummary> layer_summaries(const std::vector<LayerStatistics>& layers);

/// Verdict for the layers of one kind on the claim that lower layers attend to neighbours and upper
/// layers to distant positions: "confirmed", "not confirmed", or "not testable with one layer".
std::string distance_verdict(const std::vector<LayerSummary>& layers, AttentionPart kind);

}  // namespace dragoman
