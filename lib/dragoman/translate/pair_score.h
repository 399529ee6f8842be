#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// log P(target | source) of one pair, in nats.
struct PairScore {
  double log_prob = 0.0;  ///< of all pieces and EOS
  /// Of the target, EOS included as "</s>", but not the language that a translation is given.
  std::vector<std::string> pieces = {};
  std::vector<double> piece_log_probs = {};  ///< of each, given the source and the previous pieces
  /// Of each, whether it is the most probable one there, the first of equals; of an ensemble, whose
  /// models do not tell, empty.
  std::vector<bool> most_probable = {};
  /// The first character of each side that the vocabulary lacks: it is read as the unknown piece.
  std::optional<char32_t> unknown_source = {}, unknown_target = {};
  /// If a side is longer than the model can read, or than 32,768 pieces, what is wrong: the pair
  /// has no score then. `Translator::score` throws it instead.
  std::string fault = {};
};

}  // namespace dragoman
