#include "dragoman/analysis/pair_batches.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/data/length_batches.h"

#include <algorithm>

namespace dragoman {

std::vector<Batch> pair_batches(const Vocabulary& vocabulary, std::span<const LinePair> pairs,
                                std::int64_t batch_tokens) {
  std::vector<Example> examples;
  std::vector<std::int64_t> lengths;
  for (const auto& pair : pairs) {
    examples.push_back(encode_pair(vocabulary, pair));
    lengths.push_back(
        std::max(std::ssize(examples.back().source_ids), std::ssize(examples.back().target_ids)));
  }
  std::vector<Batch> batches;
  for (const auto& indices : length_batches(lengths, batch_tokens)) {
    std::vector<const Example*> chosen;
    for (const auto i : indices) chosen.push_back(&examples[i]);
    batches.push_back(make_batch(chosen, vocabulary.source.special(), vocabulary.target.special()));
  }
  return batches;
}

}  // namespace dragoman
