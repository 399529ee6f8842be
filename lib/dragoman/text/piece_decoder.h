#pragma once

#include "dragoman/text/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace dragoman {

/// Pieces by name to text, as SentencePiece decodes them: a name that is not one of its pieces, as
/// `Tokenizer::pieces` gives for unknown characters, is text itself.
class PieceDecoder {
 public:
  explicit PieceDecoder(const Tokenizer& tokenizer);
  ~PieceDecoder();
  PieceDecoder(const PieceDecoder&) = delete;
  PieceDecoder& operator=(const PieceDecoder&) = delete;

  /// The text on one line: controls become blanks.
  std::string decode(const std::vector<std::string>& pieces) const;

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace dragoman
