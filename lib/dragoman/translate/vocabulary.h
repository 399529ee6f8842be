#pragma once

#include <memory>

namespace dragoman {

class Tokenizer;

/// The tokenizers of the two sides; one and the same object where the vocabulary is joint.
struct Vocabulary {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;
};

}  // namespace dragoman
