#pragma once

#include "dragoman/metrics/calibration.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dragoman {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReliabilityBin, from, to, count, confidence,
                                                accuracy)

/// Counts changes of what is measured and how, so that values by different rules are never
/// compared: 2 are the best weights and the replicates of the test text, 3 gradients over
/// initialisations.
constexpr int measuring_rules = 3;

/// A loss by update.
struct LossCurve {
  std::vector<double> step;  ///< updates
  std::vector<double> nll;   ///< nats per piece
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LossCurve, step, nll)

/// The gradient norm of one layer.
struct LayerGradient {
  std::string stack;       ///< "encoder" or "decoder"
  std::int64_t layer = 0;  ///< from 1
  double initial = 0.0;    ///< with initial weights
  double trained = 0.0;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LayerGradient, stack, layer, initial, trained)

/// What the heads of an encoder layer attend to, as means over them and over the positions of the
/// held-out text.
struct LayerHeads {
  std::int64_t layer = 0;   ///< from 1
  double entropy = 0.0;     ///< nats
  double distance = 0.0;    ///< expected |i - j|, tokens
  double neighbours = 0.0;  ///< weight on the previous, same and next position
  double relations = 0.0;   ///< `relation_weights`
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LayerHeads, layer, entropy, distance, neighbours,
                                                relations)

/// The quality of a model on sentences of similar length.
struct LengthBucket {
  std::int64_t first = 0, last = 0;  ///< source pieces; last 0 = no limit
  std::int64_t sentences = 0;
  double bleu = 0.0;
  double nll = 0.0;  ///< nats per target piece
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LengthBucket, first, last, sentences, bleu, nll)

/// The share of a task's lines of one length that are answered exactly.
struct LengthAnswers {
  std::int64_t length = 0;  ///< in the task's unit
  std::int64_t lines = 0;
  double right = 0.0;  ///< share of the lines
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(LengthAnswers, length, lines, right)

/// The measurements of one training.
struct TrialRecord {
  std::map<std::string, double> values = {};  ///< by the names of `Measure`
  /// The measures of the test text without each of `jackknife_groups` groups of its lines; empty if
  /// it has fewer lines.
  std::map<std::string, std::vector<double>> jackknife = {};
  LossCurve train = {}, valid = {};
  std::vector<ReliabilityBin> reliability = {};
  std::vector<LayerGradient> gradients = {};
  std::vector<LayerHeads> heads = {};  ///< ascending layers
  std::string word_pairs = {};         ///< SHA-256 of the relations that `heads` were measured with
  std::vector<LengthBucket> lengths = {};
  std::vector<LengthAnswers> answers = {};  ///< ascending lengths
  std::string version = {};  ///< of the program that began the training; empty = not recorded
  std::int64_t threads = 0;  ///< that trained on a CPU, of all workers; 0 = not recorded
  std::string device = {};   ///< that took the times, by `device_descriptions`
  std::string failure = {};  ///< why there is no trained model: its loss was not finite
};

/// Sets the measures that follow from `gradients`: the norm of a stack's first layer divided by
/// that of its last, with new weights and trained ("gradient_ratio_initial", "gradient_ratio";
/// "decoder_gradient_ratio_initial", "decoder_gradient_ratio").
void add_gradient_ratios(TrialRecord& record);

/// Sets the measures that follow from `heads`, each of them the mean of some layers less that of
/// the others: the neighbours of the first ("neighbours_first"), the relations of the second to the
/// one in the middle, 2 and 3 of six ("relations_middle"), the distance of the upper half
/// ("distance_upper").
void add_layer_differences(TrialRecord& record);

/// The record without numbers that are not finite, which JSON cannot hold: such values, replicates,
/// layers and answers are missing, and such points of a loss; such a bucket of lengths has no
/// sentences.
TrialRecord finite_part(TrialRecord record);

/// Whether each curve has a loss for each update.
bool is_sound(const TrialRecord& record);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TrialRecord, values, jackknife, train, valid,
                                                reliability, gradients, heads, word_pairs, lengths,
                                                answers, version, threads, device, failure)

/// Adds a measure of all lines of a test text to `record`, and its values without each group of
/// them (`leave_out_groups`). \param score of the lines with these ascending numbers
void add_test_measure(const std::string& name, std::size_t lines,
                      const std::function<double(const std::vector<std::size_t>&)>& score,
                      TrialRecord& record);

}  // namespace dragoman
