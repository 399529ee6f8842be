#include "dragoman/experiment/trial_record.h"

#include "dragoman/experiment/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace dragoman {

namespace {

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

LossCurve finite_points(const LossCurve& curve) {
  LossCurve points;
  for (std::size_t i = 0; i < curve.step.size(); ++i)
    if (std::isfinite(curve.nll[i])) {
      points.step.push_back(curve.step[i]);
      points.nll.push_back(curve.nll[i]);
    }
  return points;
}

}  // namespace

void add_gradient_ratios(TrialRecord& record) {
  for (const std::string stack : {"encoder", "decoder"}) {
    std::vector<LayerGradient> layers;  // ascending
    std::ranges::copy_if(record.gradients, std::back_inserter(layers),
                         [&](const LayerGradient& layer) { return layer.stack == stack; });
    if (layers.empty()) continue;
    const auto ratio = [&](double LayerGradient::* norm) {
      const double first = layers.front().*norm, last = layers.back().*norm;
      return last > 0.0 ? first / last : 0.0;
    };
    const std::string name = stack == "decoder" ? "decoder_gradient_ratio" : "gradient_ratio";
    record.values[name + "_initial"] = ratio(&LayerGradient::initial);
    record.values[name] = ratio(&LayerGradient::trained);
  }
}

void add_layer_differences(TrialRecord& record) {
  const auto& layers = record.heads;
  const auto add = [&](const char* name, double LayerHeads::* what, std::size_t begin,
                       std::size_t end) {
    double inside = 0.0, outside = 0.0;
    for (std::size_t i = 0; i < layers.size(); ++i)
      (begin <= i && i < end ? inside : outside) += layers[i].*what;
    if (begin >= end || end - begin == layers.size()) return;
    const auto count = static_cast<double>(end - begin);
    record.values[name] = inside / count - outside / (static_cast<double>(layers.size()) - count);
  };
  const auto half = layers.size() / 2;
  add("neighbours_first", &LayerHeads::neighbours, 0, std::min<std::size_t>(1, layers.size()));
  add("relations_middle", &LayerHeads::relations, 1, half);
  add("distance_upper", &LayerHeads::distance, half, layers.size());
}

bool is_sound(const TrialRecord& record) {
  const auto same = [](const LossCurve& curve) { return curve.step.size() == curve.nll.size(); };
  return same(record.train) && same(record.valid);
}

TrialRecord finite_part(TrialRecord record) {
  std::erase_if(record.values, [](const auto& each) { return !std::isfinite(each.second); });
  std::erase_if(record.jackknife, [](const auto& each) { return !all_finite(each.second); });
  std::erase_if(record.gradients, [](const LayerGradient& layer) {
    return !std::isfinite(layer.initial) || !std::isfinite(layer.trained);
  });
  std::erase_if(record.heads, [](const LayerHeads& layer) {
    return !all_finite({layer.entropy, layer.distance, layer.neighbours, layer.relations});
  });
  std::erase_if(record.answers,
                [](const LengthAnswers& each) { return !std::isfinite(each.right); });
  // A bucket stays in its place, as tables have a row for each.
  for (auto& bucket : record.lengths)
    if (!std::isfinite(bucket.bleu) || !std::isfinite(bucket.nll))
      bucket = {.first = bucket.first, .last = bucket.last};
  for (auto& bin : record.reliability)
    if (!std::isfinite(bin.confidence) || !std::isfinite(bin.accuracy))
      bin = {.from = bin.from, .to = bin.to};
  record.train = finite_points(record.train);
  record.valid = finite_points(record.valid);
  return record;
}

void add_test_measure(const std::string& name, std::size_t lines,
                      const std::function<double(const std::vector<std::size_t>&)>& score,
                      TrialRecord& record) {
  std::vector<std::size_t> all(lines);
  std::iota(all.begin(), all.end(), 0U);
  record.values[name] = score(all);
  record.jackknife[name] = leave_out_groups(lines, score);
}

}  // namespace dragoman
