#include "dragoman/language_model/text_scoring.h"

#include "dragoman/data/batch.h"
#include "dragoman/data/buckets.h"
#include "dragoman/language_model/language_training.h"

#include <cmath>

namespace dragoman {

namespace {

/// A chunk of a text.
struct Chunk {
  std::size_t text;
  Example example;
};

std::vector<Chunk> chunks_of(const LoadedLanguageModel& loaded, std::span<const std::string> texts,
                             BlankText blank) {
  const auto eos = static_cast<std::int32_t>(loaded.tokenizer.special().eos);
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto examples = language_examples(texts[i], loaded.tokenizer, loaded.options.data.max_length);
    if (examples.empty() && blank == BlankText::eos)
      examples.push_back({.source_ids = {}, .target_ids = {eos}});
    for (auto& example : examples) chunks.push_back({i, std::move(example)});
  }
  return chunks;
}

}  // namespace

std::vector<TextScore> score_texts(const LoadedLanguageModel& loaded,
                                   std::span<const std::string> texts,
                                   const TextScoringOptions& options) {
  const torch::NoGradGuard no_gradient;
  const auto chunks = chunks_of(loaded, texts, options.blank);
  std::vector<std::int64_t> lengths;
  for (const auto& chunk : chunks) lengths.push_back(std::ssize(chunk.example.target_ids));
  const auto special = loaded.tokenizer.special();
  auto model = loaded.model;
  std::vector<TextScore> scores(texts.size());
  for (const auto& indices : length_batches(lengths, options.batch_tokens)) {
    std::vector<const Example*> chosen;
    for (const auto i : indices) chosen.push_back(&chunks[i].example);
    const auto batch = make_batch(chosen, special, special);
    const auto logits = model->generator()->forward(model->forward(batch.target_input));
    const auto own =
        logits.log_softmax(-1).gather(-1, batch.target_output.unsqueeze(-1)).squeeze(-1);
    const auto sums = (own * batch.target_mask).sum(1, false, torch::kDouble).contiguous();
    const auto hits =
        logits.argmax(-1).eq(batch.target_output).logical_and(batch.target_mask).sum(1);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      auto& score = scores[chunks[indices[k]].text];
      score.divided = score.tokens > 0;  // by another chunk
      score.log_prob += sums.const_data_ptr<double>()[k];
      score.tokens += lengths[indices[k]];
      score.predicted += hits.const_data_ptr<std::int64_t>()[k];
    }
  }
  return scores;
}

double perplexity_of(std::span<const TextScore> scores) {
  double log_prob = 0.0;
  std::int64_t tokens = 0;
  for (const auto& score : scores) {
    log_prob += score.log_prob;
    tokens += score.tokens;
  }
  return std::exp(-log_prob / static_cast<double>(tokens));
}

}  // namespace dragoman
