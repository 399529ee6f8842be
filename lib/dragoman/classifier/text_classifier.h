#pragma once

#include "dragoman/model/classifier.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The key of a classifier's labels, a JSON list of texts, in the metadata of its weights.
inline constexpr const char* labels_key = "labels";

/// The input of a classifier for a text.
struct ClassifierInput {
  std::vector<std::int32_t> ids;  ///< BOS, at most `longest_text(max_length)` pieces, EOS
  bool truncated = false;         ///< the text has more pieces
};

/// The longest text that is read as a whole, in pieces: BOS counts in `data.max_length`.
inline std::int64_t longest_text(std::int64_t max_length) { return max_length - 1; }

/// \param pieces of the text, without special ones
ClassifierInput classifier_input(std::vector<std::int32_t> pieces, const Tokenizer& tokenizer,
                                 std::int64_t max_length);

/// The result of classifying a text.
struct Classification {
  std::size_t label = 0;              ///< index of the most probable label
  std::vector<double> probabilities;  ///< one per label; they sum to 1
  bool truncated = false;             ///< only the beginning of the text was read
};

/// A trained classifier: text to label.
class TextClassifier {
 public:
  /// \param run_dir a folder written by 'dragoman classify train', or one of its checkpoints
  /// \throws DataError, FormatError as `open_run` does
  static TextClassifier load(const std::filesystem::path& run_dir,
                             const std::string& checkpoint = "");

  /// In the order of the texts. A text longer than the training's `data.max_length` is truncated.
  std::vector<Classification> classify(std::span<const std::string> texts) const;

  /// The same for texts of these pieces, as `tokenizer` encodes them.
  std::vector<Classification> classify(std::vector<std::vector<std::int32_t>> texts) const;

  const std::vector<std::string>& labels() const { return labels_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  std::int64_t max_length() const { return max_length_; }

 private:
  TextClassifier(Classifier model, Tokenizer tokenizer, std::vector<std::string> labels,
                 std::int64_t max_length);

  Classifier model_;
  Tokenizer tokenizer_;
  std::vector<std::string> labels_;
  std::int64_t max_length_;
};

}  // namespace dragoman
