#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/kernels/packed_matrix.h"
#include "dragoman/kernels/packed_outputs.h"
#include "dragoman/shortlist/shortlist.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dragoman {

/// The rows of the generator that a batch needs by its shortlist: those of all pieces that any of
/// its sentences may use. Of their logits each sentence gets those of its own pieces, so that its
/// translation does not depend on the others.
class ShortGenerator {
 public:
  /// \param generator must outlive this object
  ShortGenerator(const PackedOutputs& generator, std::shared_ptr<const Shortlist> shortlist);

  /// Chooses them for new sentences.
  /// \param prefixes of their translations, whose tokens are allowed too; empty = none
  void choose(Sentences sources, ForcedPrefixes prefixes);

  /// Whether every sentence may use every piece: then the whole generator gives the same.
  bool chose_all() const { return chose_all_; }

  /// d_model -> all chosen pieces, unless `chose_all`
  const PackedMatrix& matrix() const { return matrix_; }

  /// The pieces that a sentence may use, ascending. \param sentence its index in `choose`
  std::span<const std::int32_t> tokens(std::size_t sentence) const { return tokens_[sentence]; }

  /// Room for the logits of any sentence: the longest of `tokens`, filled up to a multiple of
  /// `logits_block`. So sums over a row, which are made by such blocks, are the same to the bit
  /// whatever the other sentences are.
  std::int64_t width() const { return width_; }

  /// Takes a sentence's logits out of a row of the product; what is left of the room gets logits
  /// without probability.
  /// \param product [outputs of `matrix`]
  /// \param logits [width], written
  void take(std::size_t sentence, const float* product, float* logits) const;

 private:
  void find_places(const PieceSet& any);

  const PackedOutputs& generator_;
  std::shared_ptr<const Shortlist> shortlist_;
  std::vector<std::vector<std::int32_t>> tokens_;  // of each sentence
  std::vector<std::vector<std::int32_t>> places_;  // of these in the product
  std::int64_t width_ = 0;
  bool chose_all_ = false;
  PackedMatrix matrix_;
};

}  // namespace dragoman
