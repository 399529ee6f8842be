#pragma once

#include "dragoman/analysis/head_statistics.h"

#include <string>
#include <vector>

namespace dragoman {

/// From where on a head is said to have a role.
struct RoleThresholds {
  double mass = 0.5;         ///< on the previous, same, next, first or last position
  double short_range = 2.0;  ///< mean distance in tokens at most
  double long_range = 5.0;   ///< mean distance in tokens at least
  double spread = 0.9;       ///< relative entropy at least: nearly equal weights
  double sharp = 0.8;        ///< largest weight at least
  double semantic = 0.3;     ///< correlation with the embeddings' cosine at least
};

/// The roles that the numbers show: "previous", "self", "next", "first", "last", "short range",
/// "long range", "spread", "sharp", "semantic". Distances say nothing between two languages, so
/// encoder-decoder heads have only "first", "last", "spread" and "sharp".
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
  double neighbours = 0.0;     ///< mass on previous, same and next position
};

std::vector<LayerSummary> layer_summaries(const std::vector<LayerStatistics>& layers);

/// What the layers of one kind show of the claim that lower layers look at neighbours and upper
/// ones far away: "confirmed", "not confirmed", or "one layer says nothing".
std::string distance_verdict(const std::vector<LayerSummary>& layers, AttentionPart kind);

}  // namespace dragoman
