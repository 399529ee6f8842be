#include "dragoman/analysis/head_roles.h"

#include "dragoman/core/concat.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// For assigning roles to a head.
constexpr struct RoleThresholds {
  double mass = 0.5;         ///< on the previous, same, next, first or last position
  double short_range = 2.0;  ///< maximum mean distance in tokens
  double long_range = 5.0;   ///< minimum mean distance in tokens
  double spread = 0.9;       ///< minimum relative entropy: nearly uniform weights
  double sharp = 0.8;        ///< minimum of the largest weight
  double semantic = 0.3;     ///< minimum correlation with the cosine of the embeddings
} thresholds;

}  // namespace

std::vector<std::string> roles_of(AttentionPart kind, const HeadStatistics& head) {
  std::vector<std::string> roles;
  const auto add = [&](bool has, const char* role) {
    if (has) roles.emplace_back(role);
  };
  if (kind != AttentionPart::cross) {
    add(head.mass_previous >= thresholds.mass, "previous");
    add(head.mass_self >= thresholds.mass, "self");
    add(head.mass_next >= thresholds.mass, "next");
  }
  add(head.mass_first >= thresholds.mass, "first");
  add(head.mass_last >= thresholds.mass, "last");
  if (kind != AttentionPart::cross) {
    add(head.mean_distance <= thresholds.short_range, "short range");
    add(head.mean_distance >= thresholds.long_range, "long range");
    add(head.semantic >= thresholds.semantic, "semantic");
  }
  add(head.relative_entropy >= thresholds.spread, "spread");
  add(head.max_weight >= thresholds.sharp, "sharp");
  return roles;
}

std::string threshold_text() {
  return concat("weight on a position >= ", thresholds.mass,
                ", short range <= ", thresholds.short_range,
                " tokens, long range >= ", thresholds.long_range,
                " tokens, spread: relative entropy >= ", thresholds.spread,
                ", sharp: largest weight >= ", thresholds.sharp,
                ", semantic: correlation >= ", thresholds.semantic);
}

std::vector<LayerSummary> layer_summaries(const std::vector<LayerStatistics>& layers) {
  std::vector<LayerSummary> summaries;
  for (const auto& layer : layers) {
    auto& summary = summaries.emplace_back();
    summary.kind = layer.kind;
    summary.layer = layer.layer;
    const auto share = 1.0 / static_cast<double>(layer.heads.size());
    for (const auto& head : layer.heads) {
      summary.entropy += share * head.entropy;
      summary.mean_distance += share * head.mean_distance;
      summary.neighbours += share * (head.mass_previous + head.mass_self + head.mass_next);
    }
  }
  return summaries;
}

std::string distance_verdict(const std::vector<LayerSummary>& layers, AttentionPart kind) {
  std::vector<double> distances;
  for (const auto& layer : layers)
    if (layer.kind == kind) distances.push_back(layer.mean_distance);
  if (distances.size() < 2) return "not testable with one layer";
  return std::is_sorted(distances.begin(), distances.end()) && distances.front() < distances.back()
             ? "confirmed"
             : "not confirmed";
}

}  // namespace dragoman
