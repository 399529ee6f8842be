#include "dragoman/train/translation_model.h"

#include "dragoman/core/error.h"
#include "dragoman/loss/paired_loss.h"
#include "dragoman/model/joined_sentences.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/tensor/dropout.h"

#include <algorithm>

namespace dragoman {

namespace {

/// On a GPU, with so many short sentences that attention can join them.
Batch as_read(const Batch& batch) {
  const bool joins =
      !batch.source.is_cpu() &&
      std::min(batch.source.size(1), batch.target_input.size(1)) <= longest_joined_sentence;
  return joins ? with_multiple_of(joinable_sentences, batch) : batch;
}

/// Which embeddings are read in both passes: all, then all but a share of `cutoff`.
/// \param ids [2 * batch, len] \return [2 * batch, len] bool
at::Tensor kept_tokens(const at::Tensor& ids, double cutoff) {
  const auto cut = at::zeros({ids.size(0) / 2, ids.size(1)}, ids.options().dtype(torch::kFloat32));
  return at::cat({at::ones_like(cut, torch::kBool), dropout_factors(cut, cutoff) > 0.0}, 0);
}

}  // namespace

TranslationModel::TranslationModel(Transformer model, const RunOptions& options,
                                   std::optional<Vocabulary> vocabulary)
    : model_(std::move(model)),
      options_(options),
      vocabulary_(std::move(vocabulary)),
      smoothing_(smoothing_of(options.train,
                              (vocabulary_ ? vocabulary_->target.special() : SpecialIds{}).pad)) {}

bool TranslationModel::reads_twice() const {
  return options_.train.consistency != Consistency::none && model_->is_training();
}

at::Tensor TranslationModel::forward_twice(const Batch& batch) {
  const auto twice = [](const at::Tensor& x) { return at::cat({x, x}, 0); };
  const auto source = twice(batch.source), source_mask = twice(batch.source_mask);
  const auto target_input = twice(batch.target_input);
  at::Tensor source_kept, target_kept;
  if (options_.train.consistency == Consistency::simcut) {
    source_kept = kept_tokens(source, options_.train.cutoff);
    target_kept = kept_tokens(target_input, options_.train.cutoff);
  }
  const auto memory =
      model_->encode_embedded(model_->embed_source(source, source_kept), source, source_mask);
  const auto embedded = model_->embed_target(target_input, /*start=*/0, target_kept);
  const auto decoded = model_->decode_embedded(embedded, memory, source_mask);
  const auto again = batch.target_places + batch.target_output.numel();
  const auto places = at::stack({batch.target_places, again}, 1).flatten();
  return decoded.flatten(0, 1).index_select(0, places);
}

at::Tensor TranslationModel::forward(const Batch& batch) {
  if (reads_twice()) return forward_twice(batch);
  const auto read = as_read(batch);
  const auto memory = model_->encode(read.source, read.source_mask);
  const auto decoded = model_->decode(read.target_input, memory, read.source_mask);
  return decoded.flatten(0, 1).index_select(0, batch.target_places);
}

Loss TranslationModel::loss(const at::Tensor& hidden, const Batch& batch) {
  const auto targets = batch.target_output.flatten().index_select(0, batch.target_places);
  const auto& generator = model_->generator();
  if (reads_twice())
    return paired_loss({hidden, generator->weight(), generator->bias()}, targets, smoothing_,
                       pair_weights(options_.train));
  return generator_loss(hidden, generator->weight(), generator->bias(), targets, smoothing_);
}

void TranslationModel::recompute(const TrainOptions& options) {
  model_->recompute(options.recomputed_layers(model_->options().encoder_layers),
                    options.recomputed_layers(model_->options().decoder_layers));
}

std::unique_ptr<Trainable> TranslationModel::replica() const {
  return std::make_unique<TranslationModel>(Transformer(model_->options(), model_->vocabulary()),
                                            options_, vocabulary_);
}

void TranslationModel::write(CheckpointWriter& writer, const NamedTensors& weights) const {
  if (!vocabulary_) throw ContractError("TranslationModel: no vocabulary to be written");
  write_model(writer, options_, weights, *vocabulary_);
}

}  // namespace dragoman
