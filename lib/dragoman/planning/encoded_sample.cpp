#include "dragoman/planning/encoded_sample.h"

#include "dragoman/corpus/pair_encoder.h"
#include "dragoman/data/augmentation.h"
#include "dragoman/data/stream.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/train/training_setup.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t block_pairs = 1024;
constexpr std::size_t resampled_pairs = 2000;

/// The factors by which subword sampling, which divides words into more pieces than the tokenizer
/// does, makes an epoch longer.
struct Lengthening {
  double pieces = 1.0;  ///< target
  double flops = 1.0;
};

/// Of evenly spread examples. \throws OptionsError as `Augmentation` does
Lengthening lengthening(const RunOptions& options, const Vocabulary& vocabulary,
                        const std::vector<Example>& examples, const PairFlops& flops_of) {
  if (options.data.subword_sampling == 0.0 || examples.empty()) return {};
  const Augmentation augmentation(vocabulary, options.data);
  Lengthening as_stored{.pieces = 0.0, .flops = 0.0}, as_read = as_stored;
  const auto add = [&](const Example& example, Lengthening& sum) {
    sum.pieces += static_cast<double>(example.target_ids.size());
    sum.flops += flops_of(std::ssize(example.source_ids), std::ssize(example.target_ids));
  };
  const auto step = std::max<std::size_t>(1, examples.size() / resampled_pairs);
  for (std::size_t i = 0; i < examples.size(); i += step) {
    auto example = examples[i];
    add(example, as_stored);
    augmentation.change_pieces(example, i);
    add(example, as_read);
  }
  return {.pieces = as_read.pieces / as_stored.pieces, .flops = as_read.flops / as_stored.flops};
}

/// Share of the pairs with text that are not left out as duplicates.
double share_of_new(const DataOptions& options, const PairFacts& facts) {
  const auto filled = static_cast<double>(facts.pairs - facts.empty_pairs);
  return options.drop_duplicates && filled > 0.0
             ? 1.0 - static_cast<double>(facts.duplicates) / filled
             : 1.0;
}

}  // namespace

EncodedSample encode_sample(const RunOptions& options, const SampledText& text) {
  EncodedSample sample;
  auto data = options.data;
  if (!text.complete)
    data.drop_duplicates = false;  // a sample has fewer: counted by `share_of_new`
  PairEncoder encoder(text.vocabulary, data);
  const auto flops_of = update_flops(options, text.vocabulary.target.vocab_size());
  auto next = text.pairs.begin();
  for (std::size_t file = 0; file < text.preflight.training.size(); ++file) {
    const auto begin = sample.examples.size();
    double pieces = 0.0, ids = 0.0, flops = 0.0;
    const auto blocks = [&] {
      std::vector<LinePair> block;
      for (; next != text.pairs.end() && next->file == file && block.size() < block_pairs; ++next)
        block.push_back(next->pair);
      return block;
    };
    encoder.set_vocabulary(with_languages(text.vocabulary, languages_of_file(data, file)));
    const auto report = encoder.encode(blocks, [&](Example&& example) {
      const auto source_len = std::ssize(example.source_ids),
                 target_len = std::ssize(example.target_ids);
      pieces += static_cast<double>(target_len);
      ids += static_cast<double>(source_len + target_len);
      flops += 3.0 * flops_of(source_len, target_len);
      sample.examples.push_back(std::move(example));
    });
    if (report.read == 0) continue;
    const auto& facts = text.preflight.training[file];
    const auto filled = static_cast<double>(facts.pairs - facts.empty_pairs);
    // Pairs of the whole text for each one of the sample.
    const double times = text.complete ? 1.0
                                       : filled * share_of_new(options.data, facts) /
                                             static_cast<double>(report.read);
    sample.too_long_pairs += times * static_cast<double>(report.too_long);
    sample.over_ratio_pairs += times * static_cast<double>(report.ratio);
    if (report.kept == 0) continue;
    const double weight = options.data.weights.empty() ? 1.0 : options.data.weights[file];
    const auto pairs = times * static_cast<double>(sample.examples.size() - begin);
    sample.pairs += pairs;
    sample.ids += times * ids;
    sample.pairs_per_epoch += weight * pairs;
    sample.pieces_per_epoch += times * weight * pieces;
    sample.flops_per_epoch += times * weight * flops;
    sample.shares.push_back({.end = sample.examples.size(), .weight = times * weight});
  }
  const auto longer = lengthening(options, text.vocabulary, sample.examples, flops_of);
  sample.pieces_per_epoch *= longer.pieces;
  sample.flops_per_epoch *= longer.flops;
  return sample;
}

std::vector<Example> longest_batch(const std::vector<Example>& examples,
                                   const TrainOptions& train) {
  const auto length = [](const Example& example) {
    return std::max(std::ssize(example.source_ids), std::ssize(example.target_ids));
  };
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return length(examples[a]) > length(examples[b]);
  });
  const auto rows = std::max<std::int64_t>(1, train.batch_tokens / length(examples[order.front()]));
  const auto wanted = train.max_sentences > 0 ? std::min(rows, train.max_sentences) : rows;
  std::vector<Example> batch;
  for (std::int64_t i = 0; i < wanted; ++i)
    batch.push_back(examples[order[static_cast<std::size_t>(i) % order.size()]]);
  return batch;
}

}  // namespace dragoman
