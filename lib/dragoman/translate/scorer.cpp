#include "dragoman/translate/scorer.h"

#include "dragoman/core/error.h"
#include "dragoman/data/batch.h"
#include "dragoman/data/buckets.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/tensor/device.h"
#include "dragoman/translate/workers.h"

namespace dragoman {

namespace {

std::vector<std::int32_t> ids_of(const std::string& text, const Tokenizer& tokenizer) {
  auto ids = tokenizer.encode(text);
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
}

PairScore score_row(const at::Tensor& log_probs, const Example& example, const Tokenizer& target) {
  PairScore score;
  const auto* values = log_probs.const_data_ptr<float>();
  for (std::size_t t = 0; t < example.target_ids.size(); ++t) {
    score.pieces.push_back(target.piece(example.target_ids[t]));
    score.piece_log_probs.push_back(values[t]);
    score.log_prob += score.piece_log_probs.back();
  }
  return score;
}

/// Of each target token of a batch, [pairs, target_len] float32.
at::Tensor token_log_probs(std::span<const LoadedRun> runs, const Batch& data) {
  std::vector<at::Tensor> logits;
  for (const auto& run : runs) {
    auto model = run.model;
    logits.push_back(model->forward(data.source, data.source_mask, data.target_input));
  }
  return mean_log_probs(logits)
      .to(at::kFloat)
      .gather(-1, data.target_output.unsqueeze(-1))
      .squeeze(-1)
      .contiguous();
}

}  // namespace

std::vector<PairScore> score_pairs(std::span<const LoadedRun> runs,
                                   const std::vector<LinePair>& pairs,
                                   const ScoringOptions& options) {
  const auto& vocabulary = runs.front().vocabulary;
  std::vector<Example> examples;
  for (const auto& pair : pairs) {
    expect_no_stop(options.stop);
    examples.push_back({.source_ids = ids_of(pair.source, vocabulary.source),
                        .target_ids = ids_of(pair.target, vocabulary.target)});
  }
  const auto batches = length_batches(examples, options.batch_tokens);
  std::vector<PairScore> scores(pairs.size());
  const auto workers = worker_count(at::kCPU, options.workers);
  run_on_workers(workers, std::ssize(batches), [&](std::int64_t b) {
    expect_no_stop(options.stop);
    const auto& batch = batches[static_cast<std::size_t>(b)];
    std::vector<const Example*> chosen;
    for (const auto i : batch) chosen.push_back(&examples[i]);
    const auto log_probs = token_log_probs(
        runs, make_batch(chosen, vocabulary.source.special(), vocabulary.target.special()));
    for (std::size_t k = 0; k < batch.size(); ++k)
      scores[batch[k]] =
          score_row(log_probs[static_cast<std::int64_t>(k)], examples[batch[k]], vocabulary.target);
  });
  return scores;
}

}  // namespace dragoman
