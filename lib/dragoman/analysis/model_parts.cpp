#include "dragoman/analysis/model_parts.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/joined.h"
#include "dragoman/tensor/device.h"

#include <array>
#include <vector>

namespace dragoman {

namespace {

constexpr std::array attention_parts = {AttentionPart::encoder, AttentionPart::decoder,
                                        AttentionPart::cross};

/// "model.encoder_layer: the layers are \"lstm\""
std::string kind_of_layers(const ModelOptions& options, AttentionPart kind) {
  const bool encoder = kind == AttentionPart::encoder;
  const nlohmann::json json =
      encoder ? nlohmann::json(options.encoder_layer) : nlohmann::json(options.decoder_layer);
  return concat("model.", encoder ? "encoder" : "decoder", "_layer: the layers are ", json.dump());
}

StackAttention ModelOptions::* attention_member(AttentionPart kind) {
  switch (kind) {
    case AttentionPart::encoder: return &ModelOptions::encoder_attention;
    case AttentionPart::decoder: return &ModelOptions::decoder_attention;
    case AttentionPart::cross: break;
  }
  return &ModelOptions::cross_attention;
}

bool has_joint_embedding(const TransformerImpl& model) {
  return model.options().has_joint_embedding();
}

}  // namespace

at::Tensor negative_log_likelihood(TransformerImpl& model, const Batch& batch) {
  const auto own = on_device(batch, device_of(model));
  const auto log_probs = model.forward(own.source, own.source_mask, own.target_input)
                             .log_softmax(-1)
                             .gather(-1, own.target_output.unsqueeze(-1))
                             .squeeze(-1);
  return -(log_probs * own.target_mask).sum();
}

StackSide side_of(AttentionPart kind) {
  switch (kind) {
    case AttentionPart::encoder: return StackSide::encoder;
    case AttentionPart::decoder: return StackSide::decoder;
    case AttentionPart::cross: break;
  }
  return StackSide::cross;
}

std::int64_t attention_layers(const ModelOptions& options, AttentionPart kind) {
  switch (kind) {
    case AttentionPart::encoder:
      return options.has_self_attention(StackSide::encoder) ? options.encoder_layers : 0;
    case AttentionPart::decoder:
      return options.has_self_attention(StackSide::decoder) ? options.decoder_layers : 0;
    case AttentionPart::cross: break;
  }
  return options.decoder_layers;
}

std::vector<AttentionSublayer> attention_sublayers(const ModelOptions& options) {
  std::vector<AttentionSublayer> sublayers;
  const auto add = [&](AttentionPart kind, std::int64_t layer) {
    if (layer < attention_layers(options, kind)) sublayers.push_back({kind, layer});
  };
  for (std::int64_t i = 0; i < options.encoder_layers; ++i) add(AttentionPart::encoder, i);
  for (std::int64_t i = 0; i < options.decoder_layers; ++i) {
    add(AttentionPart::decoder, i);
    add(AttentionPart::cross, i);
  }
  return sublayers;
}

std::vector<std::int64_t> remaining_heads(const ModelOptions& options,
                                          const AttentionSublayer& place) {
  return attention_options(options, place.kind)
      .of_layer(place.layer)
      .kept_heads(options.heads_of(side_of(place.kind)));
}

std::string lacking_attention(const ModelOptions& options) {
  std::string absent;
  std::vector<std::string> present;
  for (const auto kind : attention_parts) {
    const bool here = attention_layers(options, kind) > 0;
    if (!here) absent += kind_of_layers(options, kind) + ", without self-attention; ";
    if (here) present.push_back(name_of(kind));
  }
  return absent.empty() ? absent : absent + "this model has the attention " + joined(present);
}

void expect_attention(const ModelOptions& options, AttentionPart kind) {
  if (attention_layers(options, kind) == 0)
    throw OptionsError(lacking_attention(options) + "; choose one of these");
}

EmbeddingImpl& source_embedding(TransformerImpl& model) {
  return part<EmbeddingImpl>(model, has_joint_embedding(model) ? "embedding" : "source_embedding");
}

EmbeddingImpl& target_embedding(TransformerImpl& model) {
  return part<EmbeddingImpl>(model, has_joint_embedding(model) ? "embedding" : "target_embedding");
}

std::string layer_place(const char* stack, std::int64_t layer) {
  return concat(stack, ".layers.", layer, ".");
}

std::string attention_place(AttentionPart kind, std::int64_t layer) {
  return layer_place(kind == AttentionPart::encoder ? "encoder" : "decoder", layer) +
         (kind == AttentionPart::cross ? "memory_attention" : "self_attention");
}

const StackAttention& attention_options(const ModelOptions& options, AttentionPart kind) {
  return options.*attention_member(kind);
}

StackAttention& attention_options(ModelOptions& options, AttentionPart kind) {
  return options.*attention_member(kind);
}

}  // namespace dragoman
