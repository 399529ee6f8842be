#include "dragoman/inference/engine_worker.h"

#include "dragoman/core/stop.h"
#include "dragoman/inference/engine_recurrence.h"
#include "dragoman/inference/engine_scorer.h"
#include "dragoman/search/token_ranking.h"
#include "dragoman/search/top_candidates.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// Attention of each target to its source.
/// \param maps filled in if not null
void attend_memory(const MultiHeadAttentionWeights& attention, const EncodedSentences& encoded,
                   const std::vector<RowRange>& targets, EngineWorkspace& workspace, const float* x,
                   std::int64_t rows, const ProductResult& result,
                   std::vector<PairAttention>* maps) {
  if (maps != nullptr)
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto source_len = encoded.sentences[i].count;
      maps->push_back({source_len, std::vector<float>(
                                       static_cast<std::size_t>(source_len * targets[i].count))});
    }
  if (attention.num_heads == 0) return workspace.add_output_bias(attention, rows, result);
  float* keys = workspace.key.of_size(encoded.rows * attention.keys_width());
  float* values = workspace.value.of_size(encoded.rows * attention.values_width());
  workspace.project_memory(attention, encoded.memory.data(), encoded.rows, keys, values);
  const auto heads = workspace.project_query(attention, x, rows);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto [first, count] = encoded.sentences[i];
    workspace.attend(attention, heads.from(targets[i].first, attention), targets[i].count,
                     {.keys = keys + first * attention.keys_width(),
                      .values = values + first * attention.values_width(),
                      .rows = count},
                     /*causal=*/false, maps != nullptr ? (*maps)[i].weights.data() : nullptr);
  }
  workspace.multiply(attention.output, heads.context, rows, result);
}

/// Whether a token's logit is the largest of its row, the first of equals.
bool is_argmax(std::span<const float> logits, std::span<const float> block_maxima,
               std::int64_t token) {
  const auto largest = std::ranges::max_element(block_maxima);  // the first of equals
  const auto of_token = logits.begin() + token;
  if (*of_token < *largest) return false;
  const auto block = logits.begin() + (largest - block_maxima.begin()) * logits_block;
  return std::find(block, logits.end(), *largest) == of_token;
}

}  // namespace

EngineWorker::EngineWorker(const EngineWeights& weights, const InferenceOptions& options,
                           const PackedOutputs* generator)
    : weights_(weights), bos_(options.target.bos), workspace_(weights, options.threads) {
  if (generator != nullptr) short_generator_.emplace(*generator, options.shortlist);
}

std::vector<RowRange> EngineWorker::embed_all(Sentences sentences, EmbedToken embed, Buffer& x) {
  std::vector<RowRange> ranges;
  std::int64_t rows = 0;
  for (const auto sentence : sentences) {
    ranges.push_back({rows, std::ssize(sentence)});
    rows += std::ssize(sentence);
  }
  const auto d_model = weights_.options.d_model;
  float* row = x.of_size(rows * d_model);
  for (const auto sentence : sentences)
    for (std::int64_t position = 0; position < std::ssize(sentence); ++position, row += d_model)
      (workspace_.*embed)(sentence[static_cast<std::size_t>(position)], position, row);
  return ranges;
}

void EngineWorker::encode(Sentences sources) {
  encoded_sources_.clear();
  encoded_.sentences = embed_all(sources, &EngineWorkspace::embed_source, encoded_.memory);
  const auto& last = encoded_.sentences.back();
  const auto rows = encoded_.rows = last.first + last.count;
  float* x = encoded_.memory.data();
  for (const auto& layer : weights_.encoder) {
    workspace_.add_norm(
        layer.self_attention_norm, x, rows, [&](const float* input, const auto& result) {
          workspace_.self_attend(layer.self_attention, encoded_.sentences, {x, input, rows},
                                 /*causal=*/false, result);
        });
    workspace_.feed_forward(layer.feed_forward, layer.feed_forward_norm, x, rows);
  }
  final_norm(weights_.encoder_norm, x, rows);
  for (const auto& source : sources) encoded_sources_.emplace_back(source.begin(), source.end());
}

std::vector<RowRange> EngineWorker::decode(Sentences targets,
                                           std::vector<PairAttention>* attention) {
  const auto inputs = decoder_inputs(targets, bos_);
  const std::vector<std::span<const std::int32_t>> views(inputs.begin(), inputs.end());
  auto ranges = embed_all(views, &EngineWorkspace::embed_target, decoded_);
  const auto rows = ranges.back().first + ranges.back().count;
  float* x = decoded_.data();
  const auto d_model = weights_.options.d_model;
  const bool attends = weights_.options.has_self_attention(StackSide::decoder);
  workspace_.decode(
      x, rows,
      [&](std::size_t i, const LayerRows& input, const ProductResult& result) {
        const auto& layer = weights_.decoder[i];
        if (attends)
          workspace_.self_attend(layer.self_attention, ranges, input, /*causal=*/true, result);
        else
          recur(
              layer.recurrence, input, layer.past_norm,
              RecurrenceRows::of_sentences(ranges, d_model, workspace_.key.of_size(rows * d_model)),
              workspace_, result);
      },
      [&](std::size_t i, const float* input, const ProductResult& result) {
        attend_memory(weights_.decoder[i].memory_attention, encoded_, ranges, workspace_, input,
                      rows, result, i + 1 == weights_.decoder.size() ? attention : nullptr);
      });
  return ranges;
}

std::unique_ptr<NextTokenScorer> EngineWorker::start(Sentences sources, const SearchOptions& search,
                                                     ForcedPrefixes prefixes,
                                                     const std::stop_token& stop) {
  workspace_.stop = stop;
  encode(sources);
  if (short_generator_) short_generator_->choose(sources, prefixes);
  const bool is_short = short_generator_ && !short_generator_->chose_all();
  return std::make_unique<EngineScorer>(encoded_, workspace_, caches_,
                                        is_short ? &*short_generator_ : nullptr,
                                        /*track_coverage=*/search.coverage_penalty > 0.0);
}

std::vector<std::vector<float>> EngineWorker::log_probs(Sentences sources, Sentences targets,
                                                        MostProbable* most_probable,
                                                        const std::stop_token& stop) {
  workspace_.stop = stop;
  if (most_probable != nullptr) most_probable->assign(targets.size(), {});
  encode(sources);
  const auto ranges = decode(targets, nullptr);
  const auto d_model = weights_.options.d_model;
  StepLogits step_logits(workspace_, nullptr);
  const std::vector<std::size_t> of_sentence(rows_of_logits);  // without a shortlist all alike
  std::vector<std::vector<float>> result(targets.size());
  const auto rows = ranges.back().first + ranges.back().count;
  std::size_t i = 0;
  for (std::int64_t first = 0; first < rows; first += rows_of_logits) {
    expect_no_stop(stop);
    const auto count = std::min(rows_of_logits, rows - first);
    const auto logits =
        step_logits.compute(decoded_.data() + first * d_model,
                            std::span(of_sentence).first(static_cast<std::size_t>(count)));
    for (std::int64_t r = 0; r < count; ++r) {
      if (result[i].size() == targets[i].size()) ++i;
      const auto token = targets[i][result[i].size()];
      const std::span<const float> row = logits.row(r);
      const float logit = row[static_cast<std::size_t>(token)];
      const std::span<const float> maxima = logits.maxima_of_row(r);
      const double normaliser = log_sum_exp_of_chunks(maxima, logits.sums_of_row(r));
      expect_finite_output(normaliser);
      result[i].push_back(static_cast<float>(static_cast<double>(logit) - normaliser));
      if (most_probable != nullptr) (*most_probable)[i].push_back(is_argmax(row, maxima, token));
    }
  }
  return result;
}

std::vector<PairAttention> EngineWorker::attention(Sentences sources, Sentences targets,
                                                   const std::stop_token& stop) {
  workspace_.stop = stop;
  // A batch is translated, then aligned.
  const auto is_same = [](const auto& a, const auto& b) { return std::ranges::equal(a, b); };
  if (!std::ranges::equal(sources, encoded_sources_, is_same)) encode(sources);
  std::vector<PairAttention> maps;
  decode(targets, &maps);
  return maps;
}

}  // namespace dragoman
