#include "dragoman/convert/marian_options.h"

#include "dragoman/convert/foreign_model.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"

#include <array>
#include <charconv>

namespace dragoman {

namespace {

/// The options of a file by name, each refused with its value.
class MarianOptions {
 public:
  explicit MarianOptions(const MarianWeights& weights) : weights_(weights) {}

  std::string text(const char* key, const std::string& or_else) const {
    const auto found = weights_.options().find(key);
    if (found == weights_.options().end()) return or_else;
    return found->second.empty() ? "" : found->second.front();
  }

  /// \param or_else empty = there has to be one
  std::int64_t integer(const char* key, const std::string& or_else = {}) const {
    const auto number = whole_number(text(key, or_else));
    if (!number) refuse(key, "it should be a whole number");
    return *number;
  }

  /// The whole numbers of a list; none if the option is missing.
  std::vector<std::int64_t> integers(const char* key) const {
    const auto found = weights_.options().find(key);
    std::vector<std::int64_t> numbers;
    if (found == weights_.options().end()) return numbers;
    for (const auto& value : found->second) {
      const auto number = whole_number(value);
      if (!number) refuse(key, "its entries should be whole numbers");
      numbers.push_back(*number);
    }
    return numbers;
  }

  bool flag(const char* key) const {
    const auto value = truth_value(text(key, "false"));
    if (!value) refuse(key, "it should be true or false");
    return *value;
  }

  /// A list of layers, as decoder_lN has them. \param count how many there should be
  std::vector<std::int64_t> layers(const char* key, std::int64_t count) const {
    auto numbers = integers(key);
    for (const auto number : numbers)
      if (number < 1 || number > count)
        refuse(key, concat("its entries should be numbers of layers, 1 to ", count));
    if (!numbers.empty() && std::ssize(numbers) != count)
      refuse(key, concat("it should have an entry for each of the ", count, " decoder layers"));
    return numbers;
  }

  void expect(const char* key, const std::string& only) const {
    if (text(key, only) != only)
      refuse(key, only.empty() ? "it should be empty" : "this program knows only " + only);
  }

  void expect_off(const char* key) const {
    if (flag(key)) refuse(key, "this program knows only false");
  }

  [[noreturn]] void refuse(const char* key, const std::string& why) const {
    throw FormatError(concat(weights_.place(), ": special:model.yml: ", key, " is ",
                             printable(shown(key), 60), ": ", why));
  }

  /// Whether the model was made by that version or a later one; without a version, it was not.
  bool is_since(std::array<int, 3> wanted) const {
    auto value = text("version", "v0.0.0");
    std::array<int, 3> version{};
    const char* at = value.data() + (value.starts_with('v') ? 1 : 0);
    for (auto& part : version) {
      const auto [end, error] = std::from_chars(at, value.data() + value.size(), part);
      if (error != std::errc()) break;
      at = end == value.data() + value.size() ? end : end + 1;
    }
    return version >= wanted;
  }

 private:
  /// The value as YAML writes it.
  std::string shown(const char* key) const {
    const auto found = weights_.options().find(key);
    if (found == weights_.options().end()) return "missing";
    if (found->second.size() == 1) return found->second.front();
    return '[' + joined(found->second) + ']';
  }

  const MarianWeights& weights_;
};

void expect_plain_transformer(const MarianOptions& options) {
  options.expect("type", "transformer");
  for (const char* key : {"layer-normalization", "skip", "right-left", "ulr",
                          "transformer-no-projection", "transformer-train-position-embeddings",
                          "transformer-pool", "transformer-no-bias", "transformer-no-affine"})
    options.expect_off(key);
  for (const char* key : {"lemma-dependency", "input-types", "special-vocab"})
    options.expect(key, "");
  for (const char* key : {"lemma-dim-emb", "factors-dim-emb"}) options.expect(key, "0");
  options.expect("transformer-ffn-depth", "2");
  if (options.text("transformer-decoder-ffn-depth", "0") != "0")
    options.expect("transformer-decoder-ffn-depth", "2");
}

Activation activation_of(const MarianOptions& options, const char* key) {
  const auto name = options.text(key, "swish");
  if (name == "relu") return Activation::relu;
  if (name == "swish") return Activation::swish;
  if (name == "gelu")
    return options.is_since({1, 12, 3}) ? Activation::gelu : Activation::gelu_sigmoid;
  options.refuse(key, "this program's models know relu, swish and gelu");
}

void read_decoder_layer(const MarianOptions& options, ModelOptions& model) {
  constexpr const char* key = "transformer-decoder-autoreg";
  const auto kind = options.text(key, "self-attention");
  if (kind == "self-attention") return;
  if (kind == "rnn") {
    if (options.text("dec-cell", "gru") != "ssru")
      options.refuse("dec-cell", "this program knows only ssru");
    model.decoder_layer = DecoderLayerKind::ssru;
    model.ssru_output = options.flag("transformer-rnn-projection");
    return;
  }
  if (kind != "average-attention")
    options.refuse(key, "this program knows self-attention, average-attention and rnn");
  model.decoder_layer = DecoderLayerKind::average_attention;
  model.average_depth = options.integer("transformer-aan-depth", "2");
  model.average_d_ff = options.integer("transformer-dim-aan", "2048");
  model.average_activation = activation_of(options, "transformer-aan-activation");
  model.average_gate = !options.flag("transformer-aan-nogate");
}

/// Operations without dropout, which does nothing to a trained model.
std::string operations(const MarianOptions& options, const char* key, const char* or_else) {
  auto text = options.text(key, or_else);
  std::erase(text, 'd');
  return text;
}

NormPosition norm_of(const MarianOptions& options) {
  const auto before = operations(options, "transformer-preprocess", ""),
             after = operations(options, "transformer-postprocess", "dan"),
             top = operations(options, "transformer-postprocess-top", "");
  if (before.empty() && after == "an" && top.empty()) return NormPosition::post;
  if (before == "n" && after == "a" && top == "n") return NormPosition::pre;
  if (before != "" && before != "n") options.refuse("transformer-preprocess", "it should be n");
  if (before == "n" && after == "a")
    options.refuse("transformer-postprocess-top", "it should be n, as there are norms before");
  if (before.empty() && after == "an")
    options.refuse("transformer-postprocess-top", "it should be empty, as there are norms after");
  options.refuse("transformer-postprocess",
                 "this program's models are dan, or n before, da after and n at the top");
}

/// Alignments are no part of a translation; those of a run are the mean of the last layer's heads.
void note_alignment(const MarianOptions& options, std::int64_t decoder_layers) {
  constexpr const char* key = "transformer-guided-alignment-layer";
  if (options.text(key, "last") == "last") return;
  const auto layer = options.integer(key);
  if (layer < 1 || layer > decoder_layers) options.refuse(key, "the decoder has no such layer");
  if (layer < decoder_layers)
    log_info(concat("convert: ", key, " is ", layer,
                    ": alignments of the run are the mean of all heads of the last layer"));
}

ShareEmbeddings sharing_of(const MarianOptions& options) {
  const bool source = options.flag("tied-embeddings-src"), output = options.flag("tied-embeddings");
  if (options.flag("tied-embeddings-all") || (source && output)) return ShareEmbeddings::all;
  if (source) return ShareEmbeddings::source_target;
  return output ? ShareEmbeddings::target_output : ShareEmbeddings::none;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> marian_vocabulary_sizes(const MarianWeights& weights) {
  const MarianOptions options(weights);
  const auto sizes = options.integers("dim-vocabs");
  if (sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1)
    options.refuse("dim-vocabs", "it should have the sizes of two vocabularies");
  ModelOptions model;
  model.share_embeddings = sharing_of(options);
  if (sizes[0] != sizes[1] && model.has_joint_embedding())
    options.refuse("dim-vocabs", "the sizes should be equal, as both sides have one embedding");
  return {sizes[0], sizes[1]};
}

ModelOptions marian_model_options(const MarianWeights& weights) {
  const MarianOptions options(weights);
  expect_plain_transformer(options);
  ModelOptions model;
  model.d_model = options.integer("dim-emb", "512");
  model.d_ff = options.integer("transformer-dim-ffn", "2048");
  model.decoder_d_ff = options.integer("transformer-decoder-dim-ffn", "0");
  model.num_heads = options.integer("transformer-heads", "8");
  model.encoder_layers = options.integer("enc-depth");
  model.decoder_layers = options.integer("dec-depth");
  model.norm = norm_of(options);
  // Before, self-attention read keys that were not normalised.
  model.norm_keys = model.norm == NormPosition::post || options.is_since({1, 10, 24});
  read_decoder_layer(options, model);
  note_alignment(options, model.decoder_layers);
  model.layer_norm_eps = 1e-6;
  model.activation = activation_of(options, "transformer-ffn-activation");
  model.sinusoids = Sinusoids::halves_inclusive;
  model.start_vector = StartVector::zero;
  model.share_embeddings = sharing_of(options);
  model.output_bias = !options.flag("output-omit-bias");
  const auto of_embedding = operations(options, "transformer-postprocess-emb", "d");
  if (!of_embedding.empty() && of_embedding != "n")
    options.refuse("transformer-postprocess-emb", "it should be d, n or nd");
  model.embedding_norm = of_embedding == "n";
  expect_possible(model, weights.place() + ": special:model.yml", weights.place());
  return model;
}

bool marian_translates_differently(const ModelOptions& model) {
  return model.norm == NormPosition::pre && model.norm_keys && model.norm_later_keys &&
         model.has_self_attention(StackSide::decoder);
}

std::vector<std::int64_t> marian_decoder_layers(const MarianWeights& weights) {
  const MarianOptions options(weights);
  const auto count = options.integer("dec-depth");
  auto numbers = options.layers("transformer-tied-layers", count);
  for (std::int64_t i = std::ssize(numbers); i < count; ++i) numbers.push_back(i + 1);
  return numbers;
}

}  // namespace dragoman
