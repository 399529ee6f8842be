#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/config/weight_type.h"
#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace dragoman {

/// Of n tokens: gnmt ((5 + n) / 6)^alpha (Wu et al. 2016, section 7), power n^alpha.
enum class LengthPenaltyKind { gnmt, power };
DRAGOMAN_ENUM_NAMES(LengthPenaltyKind,
                    {{LengthPenaltyKind::gnmt, "gnmt"}, {LengthPenaltyKind::power, "power"}})

/// When a beam search ends before its result is certain: never; when as many hypotheses as the beam
/// holds have ended (fairseq, Hugging Face's early_stopping); when n_best have and the most
/// probable extension of a step is one of them (CTranslate2 without a length penalty); or when as
/// many as the beam holds have and the most probable live one would not be among them if it ended
/// now (Hugging Face without early_stopping).
enum class EarlyStopping { off, beam, first, estimate };
DRAGOMAN_ENUM_NAMES(EarlyStopping, {{EarlyStopping::off, "off"},
                                    {EarlyStopping::beam, "beam"},
                                    {EarlyStopping::first, "first"},
                                    {EarlyStopping::estimate, "estimate"}})

/// What happens to the unknown piece, which stands for characters that the vocabulary lacks: it is
/// never generated; generated as the model has learned it; or generated, then replaced by the
/// source piece that it attends to most.
enum class UnknownRule { forbid, keep, copy };
DRAGOMAN_ENUM_NAMES(UnknownRule, {{UnknownRule::forbid, "forbid"},
                                  {UnknownRule::keep, "keep"},
                                  {UnknownRule::copy, "copy"}})

/// Beam search (section 6.1: beam 4, alpha 0.6, at most source + 50), or a search without a beam:
/// `greedy` or `sample`, for which beam size and penalties have no effect.
struct SearchOptions {
  std::int64_t beam_size = 4;   ///< hypotheses kept
  double length_penalty = 0.6;  ///< alpha
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::gnmt;
  std::int64_t n_best = 1;      ///< hypotheses returned: at most beam_size; samples to draw
  std::int64_t max_length = 0;  ///< pieces, EOS included; 0 = source length + max_length_offset
  std::int64_t max_length_offset = 50;  ///< pieces beyond the source's length
  EarlyStopping early_stopping = EarlyStopping::off;
  UnknownRule unknown = UnknownRule::forbid;
  std::int64_t no_repeat_ngram = 0;  ///< forbid repeated n-grams of this size; 0 = off
  std::int64_t batch_tokens = 512;   ///< source pieces of one batch, padding included; fewer with
                                     ///< more than 4 samples or, on a CPU, a wider beam
  SearchPrecision precision = SearchPrecision::float32;  ///< of the weights
  bool cache = true;                                     ///< keep keys and values of the past
  bool greedy = false;            ///< the most probable token at each step; no beam, no penalty
  bool sample = false;            ///< draw each token at random
  double temperature = 1.0;       ///< sample: logits are divided by it
  std::int64_t top_k = 0;         ///< sample: from this many most probable tokens; 0 = all
  double top_p = 1.0;             ///< sample: from the most probable tokens that reach this share
  double coverage_penalty = 0.0;  ///< beta of Wu et al. (2016, section 7); 0 = off
  bool strict_beam = false;       ///< only the beam_size best extensions of a step may end
  bool renormalize = false;       ///< probabilities sum to 1 over the tokens that may be generated
  bool force_eos = false;         ///< the last token at the length limit is EOS, with probability 1

  /// With one beam, a strict one is greedy search with scores by length.
  bool ends_at_first_eos() const { return beam_size == 1 && strict_beam; }

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

/// A run's search as it is before settings change it: where they ask for sampling or for greedy
/// search, without what the run has for another kind.
/// \param settings a part of a configuration
SearchOptions without_other_search(SearchOptions search, const nlohmann::json& settings);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SearchOptions, beam_size, length_penalty,
                                                length_penalty_kind, n_best, max_length,
                                                max_length_offset, early_stopping, unknown,
                                                no_repeat_ngram, batch_tokens, precision, cache,
                                                greedy, sample, temperature, top_k, top_p,
                                                coverage_penalty, strict_beam, renormalize,
                                                force_eos)

}  // namespace dragoman
