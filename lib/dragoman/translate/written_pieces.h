#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/translate/translation.h"

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How a model has written a translation, piece by piece, found again by teacher forcing.
struct WrittenPieces {
  std::vector<std::string> source;         ///< as the model reads it, EOS included
  std::vector<std::string> pieces;         ///< that it wrote, EOS included unless it wrote none
  std::vector<double> probabilities = {};  ///< of each piece, given the source and those before it
  /// [pieces, source], the last decoder layer's attention to the source, mean of its heads: what
  /// `align` takes the alignment from.
  std::vector<float> attention = {};
};

/// \param line that `translation` is of: not blank, and neither split nor cut
WrittenPieces written_pieces(const InferenceModel& model, const Vocabulary& vocabulary,
                             std::string_view line, const Translation& translation);

}  // namespace dragoman
