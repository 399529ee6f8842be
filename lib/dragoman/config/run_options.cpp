#include "dragoman/config/run_options.h"

#include "dragoman/config/option_table.h"
#include "dragoman/config/option_text.h"
#include "dragoman/config/require.h"
#include "dragoman/core/concat.h"

#include <algorithm>

namespace dragoman {

namespace {

/// A learned table of positions must have a row for each position that can be read or written.
void validate_positions(const ModelOptions& model, const DataOptions& data) {
  options::require(
      model.longest_sequence() > data.max_length, "model.max_positions", model.max_positions,
      concat("leaves no row for the end after data.max_length ", data.max_length, " pieces"),
      concat("make it larger than data.max_length",
             model.position_offset == 0 ? "" : " and model.position_offset together"));
}

/// A projection along the sequence must have a column for each token of a sentence and its end.
void validate_low_rank(const ModelOptions& model, const DataOptions& data) {
  for (const auto& layer : model.encoder_attention.layers)
    options::require(
        !layer.has(AttentionKind::low_rank) || layer.common.max_length > data.max_length,
        "model.encoder_attention.max_length", layer.common.max_length,
        concat("leaves no column for the end after data.max_length ", data.max_length, " pieces"),
        "make it larger than data.max_length");
}

/// Without dropout both passes of R-Drop would be the same.
void validate_consistency(const ModelOptions& model, const TrainOptions& train) {
  const bool drops =
      std::max({model.embedding_dropout_rate(), model.residual_dropout_rate(),
                model.activation_dropout_rate(), model.attention_dropout_rate()}) > 0.0;
  if (train.consistency == Consistency::rdrop && !drops)
    throw OptionsError(
        "train.consistency: rdrop compares two passes under different dropout, but "
        "model.dropout is 0; set model.dropout, or choose simcut");
}

}  // namespace

void RunOptions::validate() const {
  require_ranges(nlohmann::json{{"seed", seed}}, "");
  model.validate();
  tokenizer.validate();
  data.validate();
  train.validate();
  search.validate();
  if (model.has_joint_embedding() && !tokenizer.joint)
    throw OptionsError(concat("model.share_embeddings: ", option_text(model.share_embeddings),
                              " needs one vocabulary, but tokenizer.joint is false; choose "
                              "target_output, or set tokenizer.joint to true"));
  validate_positions(model, data);
  validate_low_rank(model, data);
  validate_consistency(model, train);
}

}  // namespace dragoman
