#include "dragoman/train/translation_model.h"

#include "dragoman/core/error.h"
#include "dragoman/run/loaded_run.h"

namespace dragoman {

TranslationModel::TranslationModel(Transformer model, const RunOptions& options,
                                   std::optional<Vocabulary> vocabulary)
    : model_(std::move(model)),
      options_(options),
      vocabulary_(std::move(vocabulary)),
      smoothing_(smoothing_of(options.train,
                              (vocabulary_ ? vocabulary_->target.special() : SpecialIds{}).pad)) {}

at::Tensor TranslationModel::forward(const Batch& batch) {
  const auto memory = model_->encode(batch.source, batch.source_mask);
  const auto decoded = model_->decode(batch.target_input, memory, batch.source_mask);
  return decoded.flatten(0, 1).index_select(0, batch.target_places);
}

Loss TranslationModel::loss(const at::Tensor& hidden, const Batch& batch) {
  const auto targets = batch.target_output.flatten().index_select(0, batch.target_places);
  const auto& generator = model_->generator();
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

void TranslationModel::write(CheckpointWriter& writer) const {
  if (!vocabulary_) throw ContractError("TranslationModel: no vocabulary to be written");
  write_model(writer, options_, *model_, *vocabulary_);
}

}  // namespace dragoman
