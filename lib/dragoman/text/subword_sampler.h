#pragma once

#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// Segments a sentence into other pieces of the same text, so that a model sees many spellings of a
/// word: by BPE-dropout (Provilkov, Emelianenko and Voita 2020) for a BPE model, by drawing from
/// all segmentations (Kudo 2018) for a unigram model. SentencePiece can draw too, but not the same
/// again in another process, which resuming a training exactly requires.
///
/// A copy shares the vocabulary; `sample` may be called from several threads.
class SubwordSampler {
 public:
  /// \param amount of BPE the probability of each merge to be left out, 0.1 in the paper; of
  ///     unigram the power of each segmentation's probability, from near 0 = all alike to 1 = as
  ///     learned, 0.2 or 0.5 in the paper; above 0, at most 1
  /// \throws OptionsError if the model knows one segmentation only (words, characters)
  SubwordSampler(const Tokenizer& tokenizer, double amount);

  /// Pieces of another kind than text (control, unknown, user-defined, bytes) stay. Equal keys give
  /// equal pieces.
  /// \param ids pieces of a sentence, with or without EOS
  /// \throws ContractError if an id is outside the vocabulary
  std::vector<std::int32_t> sample(std::span<const std::int32_t> ids, std::uint64_t key) const;

 private:
  struct Pieces;
  std::shared_ptr<const Pieces> pieces_;
  double amount_;
};

}  // namespace dragoman
