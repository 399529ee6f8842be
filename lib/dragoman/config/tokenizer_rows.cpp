#include "dragoman/config/option_rows.h"

namespace dragoman::options {

Rows tokenizer_rows() {
  return {
      {"tokenizer.type", "", {}, "SentencePiece's algorithm."},
      {"tokenizer.vocab_size", "pieces", OptionRange{5, 1'000'000},
       "Size of the vocabulary, the four special pieces included."},
      {"tokenizer.hard_vocab_limit",
       "",
       {},
       "Refuse a text too small to fill the vocabulary; false = learn as many pieces as it can "
       "fill, with a warning. True where tokenizer.vocab_size is set without this option."},
      {"tokenizer.joint", "", {}, "Learn one vocabulary for source and target."},
      {"tokenizer.character_coverage", "share", OptionRange{.low = 0.98, .high = 1},
       "Share of the text's characters that get a piece of their own.",
       "choose 1, or 0.9995 for languages with thousands of characters"},
      {"tokenizer.byte_fallback",
       "",
       {},
       "Write characters outside the vocabulary as bytes instead of as unknown."},
      {"tokenizer.normalization",
       "",
       {},
       "How characters are normalised before anything else: nfkc = by Unicode's NFKC, which "
       "replaces full-width punctuation, fractions, the ellipsis and some letters of Thai and "
       "Hindi, also in translations; identity = not at all."},
      {"tokenizer.lowercase", "", {}, "Lowercase all text; with nfkc only."},
      {"tokenizer.split_digits", "", {}, "Make each digit a piece of its own."},
      {"tokenizer.max_sentences", "lines", count,
       "Maximum number of lines sampled to learn the pieces; 0 = all."},
  };
}

}  // namespace dragoman::options
