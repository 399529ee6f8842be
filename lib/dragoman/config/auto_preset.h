#pragma once

#include <cstdint>
#include <string>

namespace dragoman {

/// The size of a parallel text, of the pairs that have text on both sides.
struct CorpusSize {
  std::int64_t pairs = 0;
  std::int64_t target_words = 0;
};

/// The choice of `--preset auto` for a corpus: the preset, vocabulary size and dropout that suit
/// its size.
struct AutoPreset {
  std::string preset;           ///< tiny, small, base or big
  std::int64_t vocab_size = 0;  ///< tokenizer.vocab_size
  double dropout = 0.0;         ///< model.dropout
  /// What the training of a small corpus changes in the preset, as a configuration's text; empty =
  /// nothing.
  std::string training = {};
  std::string reason = {};  ///< the bound that decided: "fewer than 20,000 pairs"

  /// The configuration's text: the preset's, changed by these.
  std::string text() const;
};

/// The choice for a corpus. Its thresholds are numbers of pairs; ten target words count as a pair,
/// so that a corpus of very short lines counts as smaller.
///
/// Small corpora want few, frequent pieces and much dropout (Sennrich and Zhang 2019, "Revisiting
/// Low-Resource Neural Machine Translation"; Araabi and Monz 2020, "Optimizing
/// Transformer for Low-Resource Neural Machine Translation"), and smaller models (the
/// latter, and van Biljon et al. 2020, "On Optimal Transformer Depth for Low-Resource Language
/// Translation"). The largest ones have the paper's models, with 32,000 pieces and its dropout of
/// English-German for base, of the larger English-French corpus for big.
AutoPreset choose_preset(const CorpusSize& size);

}  // namespace dragoman
