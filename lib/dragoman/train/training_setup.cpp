#include "dragoman/train/training_setup.h"

#include "dragoman/model/flops.h"

namespace dragoman {

at::ScalarType weight_dtype(Precision precision) {
  return precision == Precision::float64 ? at::kDouble : at::kFloat;
}

Transformer make_model(const RunOptions& options, const VocabularySizes& vocabulary,
                       const at::Device& device) {
  torch::manual_seed(static_cast<std::uint64_t>(options.seed));
  Transformer model(options.model, vocabulary);
  model->to(device, weight_dtype(options.train.precision));
  return model;
}

VocabularySizes sizes_of(const Vocabulary& vocabulary) {
  return {.source = vocabulary.source.vocab_size(), .target = vocabulary.target.vocab_size()};
}

TokenCosts token_costs(const ModelOptions& model, std::int64_t target_vocab_size) {
  constexpr std::int64_t typical = 16;
  const ForwardFlops flops(model, target_vocab_size);
  const double base = flops(typical, typical);
  return {.source = flops(typical + 1, typical) - base,
          .target = flops(typical, typical + 1) - base};
}

StreamOptions stream_options(const RunOptions& options, const SpecialIds& source_special,
                             const SpecialIds& target_special) {
  return {
      .limits = {.tokens = options.train.batch_tokens, .sentences = options.train.max_sentences},
      .accumulate = options.train.accumulate,
      .prefetch = options.data.prefetch,
      .seed = static_cast<std::uint64_t>(options.seed),
      .source_special = source_special,
      .target_special = target_special};
}

StreamOptions shared_stream(StreamOptions stream, const WorkerShare& share, std::int64_t ranks,
                            const c10::Device& device) {
  stream.limits.tokens *= ranks;
  stream.limits.sentences *= ranks;
  stream.shards = share.workers;
  stream.first_shard = share.first;
  stream.all_shards = share.all;
  stream.pin = device.is_cuda();
  return stream;
}

PairFlops update_flops(const RunOptions& options, std::int64_t target_vocab_size) {
  return [forward = ForwardFlops(options.model, target_vocab_size),
          passes = static_cast<double>(options.train.passes())](std::int64_t source_len,
                                                                std::int64_t target_len) {
    return passes * forward(source_len, target_len);
  };
}

void count_costs(StreamOptions& stream, const RunOptions& options, std::int64_t target_vocab_size) {
  stream.costs = token_costs(options.model, target_vocab_size);
  stream.flops = update_flops(options, target_vocab_size);
}

StreamOptions translation_stream(const RunOptions& options, const Vocabulary& vocabulary,
                                 const std::vector<CorpusShare>& shares) {
  auto stream = stream_options(options, vocabulary.source.special(), vocabulary.target.special());
  stream.shares = shares;
  count_costs(stream, options, vocabulary.target.vocab_size());
  stream.augmentation = Augmentation(vocabulary, options.data);
  return stream;
}

}  // namespace dragoman
