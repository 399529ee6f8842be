#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/config/search_options.h"
#include "dragoman/search/next_token_scorer.h"
#include "dragoman/shortlist/shortlist.h"
#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dragoman {

/// Token ids of some sentences, at least one, none of them empty: sources as
/// `Tokenizer::end_source` ends them, targets with EOS.
using Sentences = std::span<const std::span<const std::int32_t>>;

/// What a decoder reads to score the targets (teacher forcing): BOS and all tokens but the last.
/// \throws ContractError for an empty target
std::vector<std::vector<std::int32_t>> decoder_inputs(Sentences targets, std::int64_t bos);

/// The encoder-decoder attention of a sentence pair: the last layer's, averaged over its heads.
struct PairAttention {
  std::int64_t source_len = 0;
  std::vector<float> weights;  ///< [target_len, source_len]
};

/// For each token of some targets, whether it is the most probable one there, the first of equals.
using MostProbable = std::vector<std::vector<bool>>;

/// What a worker is given.
struct InferenceOptions {
  std::int64_t threads = 1;  ///< that share its products
  SpecialIds source = {}, target = {};
  /// Which target pieces translations may consist of, by the vocabulary of the model; only for
  /// models that take one. Null = all.
  std::shared_ptr<const Shortlist> shortlist = {};
};

/// One thread's use of an InferenceModel, with the buffers that it needs again and again. Not to be
/// used by two threads at once.
class InferenceWorker {
 public:
  virtual ~InferenceWorker() = default;

  /// Encodes the sentences and starts to decode them. At most one scorer of a worker may be in use,
  /// and no longer than the worker.
  /// \param search decides whether coverage is tracked
  /// \param prefixes that the translations will be given, if a shortlist is to allow their tokens
  /// \param stop looked at by the engine here and in its scorer, before each sub-layer; by the
  ///     modules before they begin
  /// \throws Cancelled soon after `stop` asks for it
  virtual std::unique_ptr<NextTokenScorer> start(Sentences sources, const SearchOptions& search,
                                                 ForcedPrefixes prefixes = {},
                                                 const std::stop_token& stop = {}) = 0;

  /// ln P of each token of the targets, given its source and the target's tokens before it.
  /// \param most_probable set for each of them, if given
  /// \throws Cancelled soon after `stop` asks for it: the engine before the next
  ///     sub-layer, the modules before the next batch
  virtual std::vector<std::vector<float>> log_probs(Sentences sources, Sentences targets,
                                                    MostProbable* most_probable,
                                                    const std::stop_token& stop) = 0;
  std::vector<std::vector<float>> log_probs(Sentences sources, Sentences targets) {
    return log_probs(sources, targets, nullptr, {});
  }

  /// The attention of each target's tokens. \throws Cancelled as `log_probs` does
  virtual std::vector<PairAttention> attention(Sentences sources, Sentences targets,
                                               const std::stop_token& stop) = 0;
  std::vector<PairAttention> attention(Sentences sources, Sentences targets) {
    return attention(sources, targets, {});
  }
};

/// A trained model that translates and scores, and never changes. Any number of workers may use it.
class InferenceModel {
 public:
  virtual ~InferenceModel() = default;

  /// \return must not outlive this object
  virtual std::unique_ptr<InferenceWorker> make_worker(const InferenceOptions& options) const = 0;
  virtual const ModelOptions& options() const = 0;

  /// Whether workers run on the CPU, so that one for each core pays off.
  virtual bool is_on_cpu() const = 0;

  /// Target tokens for which `bytes_per_hypothesis` counts keys and values; longer translations
  /// take more.
  static constexpr std::int64_t bounded_tokens = 64;

  /// Bytes that a search takes for each hypothesis of up to `bounded_tokens` tokens, for models
  /// whose memory needs a bound: those on a GPU. 0 = no bound.
  virtual double bytes_per_hypothesis() const { return 0.0; }

  /// Whether its workers can use a shortlist.
  virtual bool takes_shortlist() const { return false; }

  /// How it computes: "int8 weights packed for AVX-512 VNNI".
  virtual std::string description() const = 0;
};

using InferenceModels = std::vector<std::shared_ptr<const InferenceModel>>;

}  // namespace dragoman
