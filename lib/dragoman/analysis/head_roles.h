#pragma once

#include "dragoman/analysis/head_statistics.h"

#include <string>
#include <vector>

namespace dragoman {

/// Thresholds for assigning roles to a head.
struct RoleThresholds {
  double mass = 0.5;         ///< on the previous, same, next, first or last position
  double short_range = 2.0;  ///< maximum mean distance in tokens
  double long_range = 5.0;   ///< minimum mean distance in tokens
  double spread = 0.9;       ///< minimum relative entropy: nearly uniform weights
  double sharp = 0.8;        ///< minimum of the largest weight
  double semantic = 0.3;     ///< minimum correlation with the cosine of the embeddings
};

/// The roles indicated by the statistics: "previous", "self", "next", "first", "last", "short
/// range", "long range", "spread", "sharp", "semantic". Distances are meaningless between two
/// languages, so encoder-decoder heads have only "first", "last", "spread" and "sharp".
std::vector<std::string> roles_of(AttentionPart kind, const HeadStatistics& head,
                                  const RoleThresholds& thresholds = {});

/// "mass >= 0.5, short range <= 2 tokens, ..."
std::string threshold_text(const RoleThresholds& thresholds = {});

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
