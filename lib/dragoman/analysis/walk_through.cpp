#include "dragoman/analysis/walk_through.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/analysis/weighing.h"
#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <torch/nn.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dragoman {

namespace {

std::int64_t index_of_head(const ModelOptions& options, const HeadPlace& place) {
  const auto heads = remaining_heads(options, {place.kind, place.layer});
  const auto found = std::find(heads.begin(), heads.end(), place.head);
  if (found == heads.end())
    throw OptionsError(
        concat("head ", name_of(place), ": has been pruned; choose one that remains"));
  return found - heads.begin();
}

/// The model's forward pass up to one attention, part by part.
class Walk {
 public:
  Walk(const LoadedRun& run, const RecordedBatch& batch, const HeadPlace& place)
      : holder_(run.model),
        model_(*holder_),
        options_(model_.options()),
        with_heads_(options_.with_heads_of(side_of(place.kind))),
        batch_(batch),
        place_(place),
        index_(index_of_head(options_, place)),
        attention_(attention_place(place.kind, place.layer)) {
    source_ = names(run.vocabulary.source, batch.data.source);
    read_ = names(run.vocabulary.target, batch.data.target_input);
  }

  WalkThrough run() {
    const auto query_input =
        place_.kind == AttentionPart::encoder ? encoder_input() : decoder_input();
    const auto memory = place_.kind == AttentionPart::cross ? this->memory() : query_input;
    attend(query_input, memory);
    return std::move(result_);
  }

 private:
  static std::vector<std::string> names(const Tokenizer& tokenizer, const at::Tensor& ids) {
    std::vector<std::string> pieces;
    for (std::int64_t i = 0; i < ids.size(1); ++i)
      pieces.push_back(tokenizer.piece(static_cast<std::int32_t>(ids[0][i].item<std::int64_t>())));
    return pieces;
  }

  void add(const char* name, std::string formula, const at::Tensor& value,
           const std::vector<std::string>& rows, const std::vector<std::string>& columns = {}) {
    result_.steps.push_back({.name = name,
                             .formula = std::move(formula),
                             .value = value.detach().to(torch::kDouble),
                             .rows = rows,
                             .columns = columns});
  }

  /// Embeddings and positions [1, len, d_model].
  /// \param given what the stack reads
  at::Tensor embed(EmbeddingImpl& embedding, const at::Tensor& ids, const at::Tensor& given,
                   const std::vector<std::string>& rows) {
    const auto sum = options_.embedding_norm ? embedding.forward(ids) : given;
    const auto positions =
        part<PositionalEncodingImpl>(model_, "positions").forward(0, ids.size(1), sum.options());
    add("E", factor_text(), positions.defined() ? (sum - positions)[0] : sum[0], rows);
    if (positions.defined()) add("P", "positions", positions, rows);
    return given;
  }

  std::string factor_text() const {
    if (!options_.embed_scale) return "embedding";
    return options_.embed_scale_value > 0.0 ? concat("embedding * ", options_.embed_scale_value)
                                            : "embedding * sqrt(d_model)";
  }

  /// The input of an attention: the stream itself, normalised first with pre-norm.
  at::Tensor enter(const at::Tensor& stream) {
    stream_ = stream;
    return part<AddNormImpl>(model_, attention_ + "_norm").before(stream);
  }

  /// The formula of that input. \param stream input of the attention's sub-layer
  std::string entered(const std::string& stream) const {
    return options_.norm == NormPosition::pre ? "LayerNorm(" + stream + ")" : stream;
  }

  std::string layer_input() const {
    if (place_.layer > 0) return concat("output of layer ", place_.layer);
    return options_.embedding_norm ? "LayerNorm(E + P)" : "E + P";
  }

  at::Tensor encoder_input() {
    const auto mask = model_.encoder_mask(batch_.data.source, batch_.data.source_mask);
    auto x = embed(source_embedding(model_), batch_.data.source,
                   model_.embed_source(batch_.data.source), source_);
    for (std::int64_t i = 0; i < place_.layer; ++i)
      x = part<EncoderLayerImpl>(model_, concat("encoder.layers.", i)).forward(x, mask);
    if (options_.has_convolution())
      x = past("convolution", x, [&](const torch::Tensor& input, const std::string& place) {
        return part<ConvolutionImpl>(model_, place).forward(input, batch_.data.source_mask);
      });
    x = enter(x);
    add("X",
        entered(options_.has_convolution() ? "output of the layer's convolution" : layer_input()),
        x[0], source_);
    return x;
  }

  at::Tensor decoder_input() {
    const auto& ids = batch_.data.target_input;
    auto x = embed(target_embedding(model_), ids, model_.embed_target(ids), read_);
    const auto memory = model_.encode(batch_.data.source, batch_.data.source_mask);
    const auto causal = AttentionMask::causal(ids.size(1), x.options());
    const auto visible = AttentionMask::of_keys(batch_.data.source_mask, torch::kFloat);
    for (std::int64_t i = 0; i < place_.layer; ++i)
      x = part<DecoderLayerImpl>(model_, concat("decoder.layers.", i))
              .forward(x, memory, causal, visible);
    if (place_.kind == AttentionPart::cross) x = past_own_words(x, causal);
    x = enter(x);
    add("X",
        entered(place_.kind == AttentionPart::cross ? "output of the layer's " + own_words()
                                                    : layer_input()),
        x[0], read_);
    return x;
  }

  bool reads_by_attention() const { return options_.has_self_attention(StackSide::decoder); }

  std::string own_words() const {
    return reads_by_attention() ? "masked self-attention" : "recurrence";
  }

  /// Passes `x` through the sub-layer by which a decoder layer reads its own output so far.
  at::Tensor past_own_words(const at::Tensor& x, const AttentionMask& causal) {
    if (!reads_by_attention()) return past_recurrence(x);
    return past("self_attention", x, [&](const torch::Tensor& input, const std::string& place) {
      auto& attention = part<MultiHeadAttentionImpl>(model_, place);
      return attention.self_attend(input, options_.norm_keys ? input : x, causal, nullptr);
    });
  }

  /// The same of a sub-layer that is no attention.
  at::Tensor past_recurrence(const at::Tensor& x) {
    const auto layer = attention_.substr(0, attention_.rfind('.') + 1);
    const auto name = option_text(options_.decoder_layer);
    const auto& add_norm = part<AddNormImpl>(model_, concat(layer, name, "_norm"));
    const auto before = [&](const at::Tensor& input) { return add_norm.before(input); };
    return add_norm.after(x, part<Recurrence>(model_, layer + name).read(x, before));
  }

  /// Passes `x` through a sub-layer of this layer, residual and norm included.
  /// \param run (input, path of the sub-layer) -> output
  template <typename Run>
  at::Tensor past(const char* sublayer, const at::Tensor& x, Run run) {
    const auto place = attention_.substr(0, attention_.rfind('.') + 1) + sublayer;
    const auto& add_norm = part<AddNormImpl>(model_, place + "_norm");
    return add_norm.after(x, run(add_norm.before(x), place));
  }

  at::Tensor memory() {
    const auto memory = model_.encode(batch_.data.source, batch_.data.source_mask);
    add("M", "output of the encoder", memory[0], source_);
    return memory;
  }

  /// This head's columns of a projection of `x` [1, len, d_model]: [len, width].
  at::Tensor project(const char* name, const at::Tensor& x, std::int64_t width) {
    return part<LinearImpl>(model_, attention_ + "." + name)
        .forward(x)[0]
        .narrow(-1, index_ * width, width)
        .to(torch::kDouble);
  }

  void attend(const at::Tensor& query_input, const at::Tensor& memory) {
    const bool cross = place_.kind == AttentionPart::cross;
    const auto& rows = place_.kind == AttentionPart::encoder ? source_ : read_;
    const auto& columns = place_.kind == AttentionPart::decoder ? read_ : source_;
    const auto q = project("query", query_input, with_heads_.key_width());
    const bool stream = !cross && !options_.norm_keys;
    const auto& read = stream ? stream_ : memory;
    const auto k = project("key", read, with_heads_.key_width());
    const auto v = project("value", read, with_heads_.value_width());
    const std::string of = cross ? "M" : stream ? "S" : "X";
    add("Q", "X W_Q + b_Q, this head's columns", q, rows);
    if (stream) add("S", "what X is the LayerNorm of", stream_[0], rows);
    add("K", of + " W_K + b_K", k, columns);
    add("V", of + " W_V + b_V", v, columns);
    const auto own = own_weights();
    const auto steps =
        weighing_steps(kind_of_head(), {.query = q,
                                        .key = k,
                                        .value = v,
                                        .hidden = hidden_keys(own),
                                        .key_mixtures = mixtures("key_mixtures", k.size(0)),
                                        .value_mixtures = mixtures("value_mixtures", k.size(0)),
                                        .scale = with_heads_.attention_scale(),
                                        .scaling = scaling(),
                                        .rows = rows,
                                        .columns = columns});
    result_.steps.insert(result_.steps.end(), steps.begin(), steps.end());
    result_.difference = (own - steps[steps.size() - 2].value).abs().max().item<double>();
    const auto& mix = part<LinearImpl>(model_, attention_ + ".output").weight().to(torch::kDouble);
    const auto width = with_heads_.value_width();
    add("output", "context W_O, this head's rows: what it adds to the layer",
        steps.back().value.matmul(mix.narrow(1, index_ * width, width).t()), rows);
  }

  /// Which keys no query may read, as bool: those of later words, and of a pattern those that have
  /// no weight.
  at::Tensor hidden_keys(const at::Tensor& own) const {
    const bool has_pattern = !is_exact(kind_of_head());
    auto hidden = has_pattern ? own.eq(0.0) : at::zeros_like(own, at::kBool);
    if (place_.kind == AttentionPart::decoder)
      hidden = hidden.logical_or(at::ones_like(hidden).triu(1));
    return hidden;
  }

  AttentionKind kind_of_head() const {
    const auto heads = attention_options(options_, place_.kind)
                           .of_layer(place_.layer)
                           .of_heads(with_heads_.num_heads);
    return heads[static_cast<std::size_t>(index_)].kind;
  }

  std::string scaling() const {
    return options_.scale == AttentionScale::sqrt_dk
               ? concat("scores / sqrt(", with_heads_.key_width(), ")")
               : concat("scores * ", with_heads_.attention_scale());
  }

  /// The learned mixtures of low-rank attention, up to the length of this sentence; undefined for
  /// other kinds.
  at::Tensor mixtures(const char* name, std::int64_t len) {
    const auto learned =
        part<MultiHeadAttentionImpl>(model_, attention_).named_parameters(/*recurse=*/false);
    const auto* found = learned.find(name);
    return found != nullptr ? found->detach().narrow(1, 0, len).to(torch::kDouble) : at::Tensor();
  }

  /// This head's weights in the model's own forward pass, [query_len, key_len].
  at::Tensor own_weights() const {
    const auto& layers = maps_of(batch_.record, place_.kind);
    return layers[static_cast<std::size_t>(place_.layer)][0][place_.head].to(torch::kDouble);
  }

  Transformer holder_;
  TransformerImpl& model_;
  const ModelOptions& options_;
  const ModelOptions with_heads_;  // of this kind of attention
  const RecordedBatch& batch_;
  const HeadPlace place_;
  const std::int64_t index_;  // of the head among those that remain
  const std::string attention_;
  std::vector<std::string> source_, read_;
  at::Tensor stream_;  // what `enter` was given
  WalkThrough result_;
};

void expect_head(const ModelOptions& options, const HeadPlace& place) {
  if (!options.norm_later_keys)
    throw OptionsError(
        "model.norm_later_keys: false is not shown step by step; "
        "convert the model with --set model.norm_later_keys=true");
  expect_attention(options, place.kind);
  const auto layers = attention_layers(options, place.kind);
  for (const auto& [what, chosen, count] :
       {std::tuple{"layer", place.layer, layers},
        std::tuple{"head", place.head, options.heads_of(side_of(place.kind))}})
    if (chosen < 0 || chosen >= count)
      throw OptionsError(
          concat(what, " ", chosen + 1, ": this model has ", counted(count, what),
                 count == 1 ? "; choose 1" : concat("; choose one from 1 to ", count)));
}

}  // namespace

WalkThrough walk_through(const LoadedRun& run, const LinePair& pair, const HeadPlace& place) {
  expect_head(run.model->options(), place);
  const torch::NoGradGuard no_gradient;
  WalkThrough result;
  record_corpus(run, std::span(&pair, 1),
                [&](const RecordedBatch& batch) { result = Walk(run, batch, place).run(); });
  return result;
}

}  // namespace dragoman
