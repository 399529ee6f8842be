#include "dragoman/translate/scorer.h"

#include "dragoman/data/batch.h"
#include "dragoman/tensor/device.h"
#include "dragoman/translate/length_batches.h"
#include "dragoman/translate/workers.h"

#include <algorithm>

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

}  // namespace

std::vector<PairScore> score_pairs(const LoadedRun& run, const std::vector<LinePair>& pairs,
                                   std::int64_t batch_tokens) {
  std::vector<Example> examples;
  std::vector<std::int64_t> lengths;
  for (const auto& pair : pairs) {
    examples.push_back({.source_ids = ids_of(pair.source, run.vocabulary.source),
                        .target_ids = ids_of(pair.target, run.vocabulary.target)});
    lengths.push_back(std::max(std::ssize(examples.back().source_ids), std::ssize(examples.back().target_ids)));
  }
  const auto batches = length_batches(lengths, batch_tokens);
  std::vector<PairScore> scores(pairs.size());
  run_on_workers(available_cores(), std::ssize(batches), [&](std::int64_t b) {
    const auto& batch = batches[static_cast<std::size_t>(b)];
    std::vector<const Example*> chosen;
    for (const auto i : batch) chosen.push_back(&examples[i]);
    const auto data = make_batch(chosen, run.vocabulary.source.special(), run.vocabulary.target.special());
    auto model = run.model;
    const auto logits = model->forward(data.source, data.source_mask, data.target_input);
    const auto log_probs = at::log_softmax(logits, -1, at::kFloat)
                               .gather(-1, data.target_output.unsqueeze(-1)).squeeze(-1).contiguous();
    for (std::size_t k = 0; k < batch.size(); ++k)
      scores[batch[k]] = score_row(log_probs[static_cast<std::int64_t>(k)], examples[batch[k]],
                                   run.vocabulary.target);
  });
  return scores;
}

}  // namespace dragoman
