#include "dragoman/convert/ctranslate2_names.h"

#include "dragoman/core/concat.h"

namespace dragoman {

namespace {

std::vector<std::string> under(const std::string& module,
                               std::initializer_list<const char*> names) {
  std::vector<std::string> full;
  for (const char* name : names) full.push_back(concat(module, ".", name));
  return full;
}

}  // namespace

std::vector<CTranslate2Names> ctranslate2_names(const ModelOptions& options) {
  std::vector<CTranslate2Names> names;
  const auto linear = [&](std::string theirs, std::vector<std::string> ours) {
    names.push_back({.theirs = std::move(theirs), .ours = std::move(ours)});
  };
  const auto norm = [&](std::string theirs, std::string ours) {
    names.push_back({.theirs = std::move(theirs), .ours = {std::move(ours)}, .is_norm = true});
  };
  const auto layer = [&](const std::string& theirs, const std::string& ours) {
    linear(theirs + "/self_attention/linear_0",
           under(ours + ".self_attention", {"query", "key", "value"}));
    linear(theirs + "/self_attention/linear_1", under(ours + ".self_attention", {"output"}));
    norm(theirs + "/self_attention/layer_norm", ours + ".self_attention_norm");
    linear(theirs + "/ffn/linear_0", under(ours + ".feed_forward", {"inner"}));
    linear(theirs + "/ffn/linear_1", under(ours + ".feed_forward", {"outer"}));
    norm(theirs + "/ffn/layer_norm", ours + ".feed_forward_norm");
  };
  for (std::int64_t i = 0; i < options.encoder_layers; ++i)
    layer(concat("encoder/layer_", i), concat("encoder.layers.", i));
  for (std::int64_t i = 0; i < options.decoder_layers; ++i) {
    const auto theirs = concat("decoder/layer_", i);
    const auto ours = concat("decoder.layers.", i);
    layer(theirs, ours);
    linear(theirs + "/attention/linear_0", under(ours + ".memory_attention", {"query"}));
    linear(theirs + "/attention/linear_1", under(ours + ".memory_attention", {"key", "value"}));
    linear(theirs + "/attention/linear_2", under(ours + ".memory_attention", {"output"}));
    norm(theirs + "/attention/layer_norm", ours + ".memory_attention_norm");
  }
  if (options.embedding_norm) {
    norm("encoder/layernorm_embedding", "source_embedding_norm");
    norm("decoder/layernorm_embedding", "target_embedding_norm");
  }
  if (options.norm == NormPosition::pre)
    for (const char* side : {"encoder", "decoder"})
      norm(concat(side, "/layer_norm"), concat(side, ".final_norm"));
  return names;
}

}  // namespace dragoman
