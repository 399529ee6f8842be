#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/ctranslate2_export_texts.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/convert/ctranslate2_names.h"
#include "dragoman/convert/required_options.h"
#include "dragoman/core/atomic_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/run/parameters.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;
using namespace ctranslate2;

void expect_expressible(const ModelOptions& model) {
  RequiredOptions required("CTranslate2's format");
  required.expect(model.start_vector != StartVector::learned, "start_vector", "token or zero");
  required.expect(model.norm_keys, "norm_keys", "true");
  required.expect(model.norm_later_keys, "norm_later_keys", "true");
  required.expect(model.decoder_layer == DecoderLayerKind::attention, "decoder_layer", "attention");
  required.expect_usual_layers(model);
  required.check();
}

std::vector<std::uint32_t> shape_of(const at::Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}

template <typename T>
CTranslate2Variable scalar(CTranslate2Type type, T value) {
  return {.shape = {},
          .type = type,
          .bytes = std::string(reinterpret_cast<const char*>(&value), sizeof value)};
}

CTranslate2Variable array(CTranslate2Type type, const at::Tensor& tensor) {
  const auto values = tensor.contiguous();
  return {.shape = shape_of(values),
          .type = type,
          .bytes = {{static_cast<const char*>(values.const_data_ptr()), values.nbytes()},
                    std::make_shared<const at::Tensor>(values)}};
}

/// Far below any logit, and a number of float16.
constexpr float bias_of_never_written = -1e4F;

class Exporter {
 public:
  /// \param never_written ids of the target
  Exporter(const RunOptions& options, NamedTensors tensors, CTranslate2Weights weights,
           std::vector<std::int64_t> never_written)
      : options_(options),
        model_(options.model),
        tensors_(std::move(tensors)),
        weights_(weights),
        never_written_(std::move(never_written)) {}

  CTranslate2File file() {
    add_scalars();
    for (const auto& part : ctranslate2_names(model_)) add_part(part);
    add_vocabulary_matrices();
    add_positions();
    file_.share_equal_variables();
    return std::move(file_);
  }

 private:
  void add_byte(const std::string& name, std::int8_t value) {
    file_.variables[name] = scalar(CTranslate2Type::i8, value);
  }
  void add_short(const std::string& name, std::int16_t value) {
    file_.variables[name] = scalar(CTranslate2Type::i16, value);
  }

  void add_scalars() {
    add_short("encoder/num_heads", static_cast<std::int16_t>(model_.heads_of(StackSide::encoder)));
    add_short("decoder/num_heads", static_cast<std::int16_t>(model_.heads_of(StackSide::decoder)));
    for (const std::string side : {"encoder", "decoder"}) {
      add_byte(side + "/pre_norm", model_.norm == NormPosition::pre ? 1 : 0);
      add_byte(side + "/activation", activation_codes.at(model_.activation));
      if (model_.embed_scale && model_.embed_scale_value > 0.0)
        file_.variables[side + "/scale_embeddings"] =
            scalar(CTranslate2Type::f32, static_cast<float>(model_.embed_scale_value));
      else
        add_byte(side + "/scale_embeddings", model_.embed_scale ? 1 : 0);
    }
    add_byte("encoder/embeddings_merge", 0);
    add_byte("encoder/multi_query_attention", 0);
    add_short("decoder/alignment_layer", -1);
    add_short("decoder/alignment_heads", 0);  // mean over all heads
    add_byte("decoder/start_from_zero_embedding", model_.start_vector == StartVector::zero ? 1 : 0);
    for (const char* name : {"alibi", "alibi_use_positive_positions", "scale_alibi"})
      add_byte(concat("decoder/", name), 0);
  }

  /// Adds a floating-point array; a weight matrix in the requested number format.
  void add(const std::string& name, const at::Tensor& tensor, bool is_weight = false) {
    const auto values = tensor.to(torch::kFloat32);
    switch (weights_) {
      case CTranslate2Weights::float16:
        file_.variables[name] = array(CTranslate2Type::f16, halves(name, values));
        return;
      case CTranslate2Weights::bfloat16:
        file_.variables[name] = array(CTranslate2Type::bf16, values.to(torch::kBFloat16));
        return;
      case CTranslate2Weights::int16:
        if (is_weight) return add_int16(name, values);
        break;
      case CTranslate2Weights::int8:
        if (is_weight) return add_int8(name, values);
        break;
      case CTranslate2Weights::float32: break;
    }
    file_.variables[name] = array(CTranslate2Type::f32, values);
  }

  static at::Tensor halves(const std::string& name, const at::Tensor& values) {
    const auto rounded = values.to(torch::kFloat16);
    const auto [least, most] = at::aminmax(rounded);
    if (!std::isfinite(least.item<float>()) || !std::isfinite(most.item<float>()))
      throw OptionsError(concat("convert --quantize float16: ", name,
                                " has numbers beyond 65504, the largest of float16; choose bf16"));
    return rounded;
  }

  /// Each row times its factor, as integers; a few rows at a time, for a large vocabulary.
  static at::Tensor rounded(const at::Tensor& values, const at::Tensor& factors,
                            at::ScalarType type) {
    constexpr std::int64_t most_rows = 4096;
    auto integers = at::empty(values.sizes(), type);
    for (std::int64_t begin = 0; begin < values.size(0); begin += most_rows) {
      const auto rows = std::min(most_rows, values.size(0) - begin);
      const auto scaled =
          values.narrow(0, begin, rows) * factors.narrow(0, begin, rows).unsqueeze(1);
      integers.narrow(0, begin, rows).copy_(at::round(scaled));
    }
    return integers;
  }

  void add_int16(const std::string& name, const at::Tensor& values) {
    const auto largest = at::linalg_vector_norm(values, infinity).item<float>();
    const float scale = 1024.0F / (largest == 0.0F ? 1.0F : largest);
    file_.variables[name] =
        array(CTranslate2Type::i16, rounded(values, at::full({values.size(0)}, scale), at::kShort));
    file_.variables[name + "_scale"] = scalar(CTranslate2Type::f32, scale);
  }

  void add_int8(const std::string& name, const at::Tensor& values) {
    auto largest = at::linalg_vector_norm(values, infinity, 1);
    largest.masked_fill_(largest == 0, 127.0);
    const auto scale = 127.0 / largest;
    file_.variables[name] = array(CTranslate2Type::i8, rounded(values, scale, at::kChar));
    file_.variables[name + "_scale"] = array(CTranslate2Type::f32, scale);
  }

  void add_part(const CTranslate2Names& part) {
    std::vector<at::Tensor> weights, biases;
    for (const auto& name : part.ours) {
      weights.push_back(std::move(tensors_.extract(name + ".weight").mapped()));
      auto bias = tensors_.extract(name + ".bias");
      biases.push_back(bias.empty() ? torch::zeros({weights.back().size(0)})
                                    : std::move(bias.mapped()));
    }
    const auto joined = [](const std::vector<at::Tensor>& parts) {
      return parts.size() == 1 ? parts.front() : at::cat(parts);
    };
    add(part.theirs + (part.is_norm ? "/gamma" : "/weight"), joined(weights), !part.is_norm);
    add(part.theirs + (part.is_norm ? "/beta" : "/bias"), joined(biases));
  }

  void add_vocabulary_matrices() {
    const bool one = model_.has_joint_embedding();
    const auto& source = tensors_.at(one ? "embedding.weight" : "source_embedding.weight");
    const auto& target = tensors_.at(one ? "embedding.weight" : "target_embedding.weight");
    add(source_embedding, source, true);
    add(target_embedding, target, true);
    add(projection, model_.has_own_generator() ? tensors_.at("generator.weight") : target, true);
    if (model_.output_bias) add(projection_bias, output_bias());
  }

  /// CTranslate2 bans no token by itself, and the logits of MarianMT are often below that of its
  /// empty row of padding.
  at::Tensor output_bias() {
    auto bias = tensors_.at("generator.bias").detach().clone();
    for (const auto id : never_written_) bias[id].clamp_max_(bias_of_never_written);
    return bias;
  }

  /// CTranslate2 reads sinusoids from a table too: as long as any sentence here, and translation.
  void add_positions() {
    const auto& search = options_.search;
    const auto longest =
        std::max(options_.data.max_length + search.max_length_offset, search.max_length) + 1;
    const bool learned = model_.position == Position::learned;
    const auto rows = learned ? model_.max_positions : std::max(model_.max_positions, longest);
    const auto offset = model_.position_offset;
    const auto table = model_.position == Position::none ? torch::zeros({rows, model_.d_model})
                       : learned ? tensors_.at("positions.weight").narrow(0, offset, rows - offset)
                                 : sinusoidal_table(rows + offset, model_.d_model, model_.sinusoids)
                                       .narrow(0, offset, rows);
    add(target_positions, table);
    add(source_positions, table);
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  const RunOptions& options_;
  const ModelOptions& model_;
  NamedTensors tensors_;
  CTranslate2Weights weights_;
  std::vector<std::int64_t> never_written_;
  CTranslate2File file_;
};

/// Pieces that this program's search never writes, and rows that only fill the matrix up, as long
/// as a bias can keep CTranslate2 from writing them.
std::vector<std::int64_t> never_written(const Tokenizer& target) {
  std::vector<std::int64_t> ids;
  const auto special = target.special();
  if (special.pad != special.eos) ids.push_back(special.pad);
  constexpr std::string_view filler = "madeupword";
  for (std::int32_t id = 0; id < target.vocab_size(); ++id) {
    const auto piece = target.piece(id);
    if (piece.starts_with(filler) && piece.size() > filler.size() &&
        piece.find_first_not_of("0123456789", filler.size()) == piece.npos)
      ids.push_back(id);
  }
  return ids;
}

}  // namespace

void export_ctranslate2(LoadedRun run, const fs::path& out_dir, CTranslate2Weights weights) {
  expect_expressible(run.options.model);
  // Each tensor is let go once it is in the other form: a large model is in memory once.
  auto tensors = parameters_of(*run.model);
  run.model = nullptr;
  NewFolder folder(out_dir);
  AtomicFile model(out_dir / "model.bin");
  Exporter(run.options, std::move(tensors), weights, never_written(run.vocabulary.target))
      .file()
      .write([&](std::string_view part) { model.append(part); });
  model.commit();
  const auto write = [&](const char* name, std::string_view content) {
    write_file_atomically(out_dir / name, content);
  };
  write("config.json", ctranslate2_config_text(run));
  const auto& [source, target, joint] = run.vocabulary;
  write(joint ? "shared_vocabulary.json" : "target_vocabulary.json",
        ctranslate2_vocabulary_text(target));
  write(joint ? "tokenizer.model" : "tokenizer.target.model", target.bytes());
  if (!joint) {
    write("source_vocabulary.json", ctranslate2_vocabulary_text(source));
    write("tokenizer.source.model", source.bytes());
  }
  // A tokenizer with ids of its own is more than a SentencePiece model, which others can read.
  const auto write_plain = [&](const char* name, const Tokenizer& tokenizer) {
    if (tokenizer.bytes() == tokenizer.sentencepiece()) return;
    write(name, tokenizer.sentencepiece());
    log_info(concat("convert --to ctranslate2: ", name,
                    " is the SentencePiece model for other programs; ids are those of the "
                    "vocabulary's file"));
  };
  write_plain(joint ? "sentencepiece.model" : "sentencepiece.target.model", target);
  if (!joint) write_plain("sentencepiece.source.model", source);
  folder.keep();
  note_what_ctranslate2_lacks(run);
}

}  // namespace dragoman
