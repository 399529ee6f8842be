#include "dragoman/train/training_setup.h"

#include "dragoman/model/flops.h"

namespace dragoman {

std::uint64_t as_seed(std::int64_t seed) { return static_cast<std::uint64_t>(seed); }

Transformer make_model(const RunOptions& options, const Vocabulary& vocabulary,
                       const at::Device& device) {
  torch::manual_seed(as_seed(options.seed));
  Transformer model(options.model, VocabularySizes{.source = vocabulary.source.vocab_size(),
                                                   .target = vocabulary.target.vocab_size()});
  model->to(device);
  return model;
}

Transformer make_model(const RunOptions& options, const TrainingData& data,
                       const at::Device& device) {
  return make_model(options, data.vocabulary, device);
}

LabelSmoothing smoothing_of(const RunOptions& options, const TrainingData& data) {
  return {.eps = options.train.label_smoothing,
          .kind = options.train.label_smoothing_kind,
          .pad = data.vocabulary.target.special().pad};
}

TokenCosts token_costs(const ModelOptions& model, std::int64_t target_vocab_size) {
  constexpr std::int64_t typical = 16;
  const auto flops = [&](std::int64_t source_len, std::int64_t target_len) {
    return forward_flops(model, target_vocab_size, source_len, target_len);
  };
  const double base = flops(typical, typical);
  return {.source = flops(typical + 1, typical) - base,
          .target = flops(typical, typical + 1) - base};
}

StreamOptions stream_options(const RunOptions& options, const TrainingData& data,
                             const WorkerShare& share, std::int64_t ranks) {
  return stream_options(options, data.vocabulary, data.shares, share, ranks);
}

StreamOptions stream_options(const RunOptions& options, const Vocabulary& vocabulary,
                             const std::vector<CorpusShare>& shares, const WorkerShare& share,
                             std::int64_t ranks) {
  return {.limits = {.tokens = ranks * options.train.batch_tokens,
                     .sentences = ranks * options.train.max_sentences},
          .shares = shares,
          .accumulate = options.train.accumulate,
          .shards = share.workers,
          .first_shard = share.first,
          .all_shards = share.all,
          .costs = token_costs(options.model, vocabulary.target.vocab_size()),
          .prefetch = options.data.prefetch,
          .seed = as_seed(options.seed),
          .source_special = vocabulary.source.special(),
          .target_special = vocabulary.target.special(),
          .augmentation = Augmentation(vocabulary, options.data)};
}

double update_flops(const UpdateData& update, const TransformerImpl& model) {
  double flops = 0.0;
  for (const auto& [source_len, target_len] : update.lengths)
    flops +=
        3.0 * forward_flops(model.options(), model.vocabulary().target, source_len, target_len);
  return flops;
}

}  // namespace dragoman
