#include "dragoman/analysis/pair_batches.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/data/buckets.h"

namespace dragoman {

std::vector<Batch> pair_batches(std::span<const Example> examples, const SpecialIds& source_special,
                                const SpecialIds& target_special, std::int64_t batch_tokens) {
  std::vector<Batch> batches;
  for (const auto& indices : length_batches(examples, batch_tokens))
    batches.push_back(make_batch(examples, indices, source_special, target_special));
  return batches;
}

std::vector<Batch> pair_batches(const Vocabulary& vocabulary, std::span<const LinePair> pairs,
                                std::int64_t batch_tokens) {
  return pair_batches(encode_pairs(vocabulary, pairs), vocabulary.source.special(),
                      vocabulary.target.special(), batch_tokens);
}

}  // namespace dragoman
