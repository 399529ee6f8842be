#include "dragoman/analysis/pair_batches.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/data/buckets.h"

namespace dragoman {

std::vector<Batch> pair_batches(std::span<const Example> examples, const SpecialIds& source_special,
                                const SpecialIds& target_special, std::int64_t batch_tokens) {
  std::vector<Batch> batches;
  for (const auto& indices : length_batches(examples, batch_tokens)) {
    std::vector<const Example*> chosen;
    for (const auto i : indices) chosen.push_back(&examples[i]);
    batches.push_back(make_batch(chosen, source_special, target_special));
  }
  return batches;
}

std::vector<Batch> pair_batches(const Vocabulary& vocabulary, std::span<const LinePair> pairs,
                                std::int64_t batch_tokens) {
  std::vector<Example> examples;
  for (const auto& pair : pairs) examples.push_back(encode_pair(vocabulary, pair));
  return pair_batches(examples, vocabulary.source.special(), vocabulary.target.special(),
                      batch_tokens);
}

}  // namespace dragoman
