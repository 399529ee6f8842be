#pragma once

#include "dragoman/text/example.h"

#include <string>
#include <vector>

namespace dragoman {

/// The files of text that experiments are made on, plain or .gz.
struct TrialTexts {
  std::vector<std::string> train_source, train_target;
  std::string valid_source, valid_target;  ///< held out: loss by update, calibration
  std::string test_source, test_target;    ///< held out: BLEU

  /// The names without folders, for people.
  std::string description() const;
};

/// The pairs with text on both sides.
std::vector<LinePair> read_filled_pairs(const std::string& source, const std::string& target);

/// The first `count` pairs of the training text.
std::vector<LinePair> first_training_pairs(const TrialTexts& texts, std::int64_t count);

}  // namespace dragoman
