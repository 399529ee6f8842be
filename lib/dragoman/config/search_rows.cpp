#include "dragoman/config/option_rows.h"

namespace dragoman::options {

namespace {

Rows beam_rows() {
  return {
      {"search.beam_size", "hypotheses", OptionRange{1, 1024}, "Hypotheses kept at each step."},
      {"search.length_penalty", "exponent", OptionRange{-10, 10},
       "Exponent alpha of the length penalty; larger prefers longer translations."},
      {"search.length_penalty_kind",
       "",
       {},
       "Formula of the length penalty for n tokens: gnmt, ((5 + n) / 6)^alpha, or power, n^alpha."},
      {"search.coverage_penalty", "factor", OptionRange{0, 1000},
       "Factor beta of the coverage penalty of Wu et al. (2016); larger prefers translations that "
       "attend to all of the source; 0 = off."},
      {"search.n_best", "hypotheses", OptionRange{1, 1024},
       "Hypotheses returned for each sentence, at most beam_size; with sample, the number of "
       "samples."},
      {"search.max_length", "pieces", OptionRange{0, 65536},
       "Maximum length of a translation, EOS included; 0 = source length + max_length_offset."},
      {"search.max_length_offset", "pieces", OptionRange{1, 65536},
       "How much longer than its source a translation may be."},
      {"search.early_stopping",
       "",
       {},
       "When beam search ends before its result is certain: off, never; beam, when beam_size "
       "hypotheses have ended; first, when n_best have and the best candidate of a step is one; "
       "estimate, when beam_size have and the best live one would not be among them if it ended "
       "now."},
      {"search.unknown",
       "",
       {},
       "The unknown piece: forbid, never generated; keep, generated and printed; copy, replaced by "
       "the source piece that it attends to most."},
      {"search.no_repeat_ngram", "pieces", OptionRange{0, 1024},
       "Forbid repeated n-grams of this size; 0 = off."},
      {"search.batch_tokens", "pieces", OptionRange{1, 1 << 24},
       "Size of a batch: source pieces, padding included; fewer with more than 4 samples or, on a "
       "CPU, a beam of more than 4."},
      {"search.precision",
       "",
       {},
       "Number type of the weights in translation. auto: on a CPU int8 where that is known to be "
       "faster, else float32; on a GPU, which has no int8, bf16 for a d_model of at least 1024, "
       "else float32."},
      {"search.cache",
       "",
       {},
       "Keep keys and values of earlier positions; false recomputes them at each step."},
  };
}

}  // namespace

Rows search_rows() {
  Rows rows = beam_rows();
  const Rows others = {
      {"search.strict_beam",
       "",
       {},
       "Let only the beam_size best extensions of a step end, as Hugging Face and fairseq do, not "
       "twice as many; at the length limit all of them end. With search.beam_size=1 the first end "
       "token ends the translation, as in greedy search."},
      {"search.renormalize",
       "",
       {},
       "Let the probabilities of the tokens that may be generated sum to 1, leaving out those of "
       "padding and the start token."},
      {"search.force_eos",
       "",
       {},
       "End a translation that reaches its length limit with the end token, at no cost."},
      {"search.greedy",
       "",
       {},
       "Take the most probable token at each step; no beam and no penalties."},
      {"search.sample", "", {}, "Draw each token at random instead of searching."},
      {"search.temperature", "factor", OptionRange{0.001, 1000},
       "What logits are divided by before sampling; below 1 favours probable tokens."},
      {"search.top_k", "tokens", OptionRange{0, 1 << 24},
       "Sample only from this many most probable tokens; 0 = from all."},
      {"search.top_p", "share", OptionRange{.low = 0, .high = 1, .above = true},
       "Sample only from the most probable tokens whose probabilities reach this sum.",
       "choose a share inside; 1 = all tokens"},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace dragoman::options
