#include "dragoman/corpus/corpus.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t pairs_per_block = 2048;

}  // namespace

std::vector<LinePair> read_parallel(std::span<const std::string> sources,
                                    std::span<const std::string> targets) {
  ParallelText text(sources, targets);
  std::vector<LinePair> pairs;
  while (auto pair = text.next()) pairs.push_back(std::move(*pair));
  return pairs;
}

EncodedCorpus encode_corpus(std::span<const LinePair> pairs, const Vocabulary& vocabulary,
                            const DataOptions& options, std::string_view place) {
  EncodedCorpus corpus;
  auto rest = pairs;
  const auto blocks = [&rest] {
    const auto block = rest.first(std::min(pairs_per_block, rest.size()));
    rest = rest.subspan(block.size());
    return std::vector<LinePair>(block.begin(), block.end());
  };
  corpus.report = PairEncoder(vocabulary, options).encode(blocks, [&](Example&& example) {
    corpus.examples.push_back(std::move(example));
  });
  expect_kept(corpus.report, options, std::string(place));
  return corpus;
}

}  // namespace dragoman
