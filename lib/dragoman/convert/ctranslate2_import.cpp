#include "dragoman/config/parse.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/ctranslate2_file.h"
#include "dragoman/convert/ctranslate2_names.h"
#include "dragoman/convert/foreign_model.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/parameters.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace dragoman {

namespace {

namespace fs = std::filesystem;
using namespace ctranslate2;

/// A CTranslate2 model's variables as float32 tensors.
class Importer {
 public:
  explicit Importer(const fs::path& model_dir)
      : place_((model_dir / "model.bin").string()),
        file_(read_ctranslate2_file(place_)),
        config_(
            nlohmann::json::parse(read_regular_file(model_dir / "config.json"), nullptr, false)) {
    if (!config_.is_object())
      throw FormatError(
          concat((model_dir / "config.json").string(), ": is not a JSON object; copy it again"));
  }

  ModelOptions options() const {
    expect_understood();
    ModelOptions model;
    model.d_model = variable(target_embedding).shape.at(1);
    model.num_heads = integer("decoder/num_heads");
    for (model.encoder_layers = 0;
         has(concat("encoder/layer_", model.encoder_layers, "/ffn/linear_0/weight"));)
      ++model.encoder_layers;
    for (model.decoder_layers = 0;
         has(concat("decoder/layer_", model.decoder_layers, "/ffn/linear_0/weight"));)
      ++model.decoder_layers;
    model.d_ff = variable("encoder/layer_0/ffn/linear_0/weight").shape.at(0);
    const std::int64_t inner = variable("decoder/layer_0/ffn/linear_0/weight").shape.at(0);
    model.decoder_d_ff = inner == model.d_ff ? 0 : inner;
    model.norm = integer("decoder/pre_norm") != 0 ? NormPosition::pre : NormPosition::post;
    const auto factor = scale_factor("decoder/scale_embeddings");
    model.embed_scale = factor != 1.0;
    if (model.embed_scale && static_cast<float>(factor) != static_cast<float>(root_of_width()))
      model.embed_scale_value = factor;
    model.embedding_norm = has("decoder/layernorm_embedding/gamma");
    model.start_vector =
        has(zero_start) && integer(zero_start) != 0 ? StartVector::zero : StartVector::token;
    model.output_bias = has(projection_bias);
    const auto eps = config_.find("layer_norm_epsilon");
    model.layer_norm_eps = eps == config_.end() || eps->is_null() ? 1e-5 : eps->get<double>();
    const auto code = integer("decoder/activation");
    for (const auto& [activation, number] : activation_codes)
      if (number == code) model.activation = activation;
    if (activation_codes.at(model.activation) != code) refuse("decoder/activation", code);
    read_positions(model);
    const bool output = same(target_embedding, projection);
    const bool both = same(target_embedding, source_embedding);
    model.share_embeddings = output && both ? ShareEmbeddings::all
                             : output       ? ShareEmbeddings::target_output
                             : both         ? ShareEmbeddings::source_target
                                            : ShareEmbeddings::none;
    return model;
  }

  /// The tensors under our names. \param source, target our id of a piece -> its row there
  NamedTensors tensors(const ModelOptions& model, const at::Tensor& source,
                       const at::Tensor& target) const {
    NamedTensors tensors;
    for (const auto& part : ctranslate2_names(model)) {
      const auto take = [&](const char* theirs, const char* ours) {
        const auto stacked = tensor(part.theirs + theirs);
        const auto count = static_cast<std::int64_t>(part.ours.size());
        if (stacked.size(0) % count != 0)
          throw FormatError(concat(place_, ": ", part.theirs, theirs, " has ", stacked.size(0),
                                   " rows, which is not a multiple of ", count));
        const auto parts = stacked.chunk(count);
        for (std::size_t i = 0; i < part.ours.size(); ++i)
          tensors[part.ours[i] + ours] = parts[i].contiguous();
      };
      take(part.is_norm ? "/gamma" : "/weight", ".weight");
      take(part.is_norm ? "/beta" : "/bias", ".bias");
    }
    const bool one = model.has_joint_embedding();
    if (!one) tensors["source_embedding.weight"] = tensor(source_embedding).index_select(0, source);
    tensors[one ? "embedding.weight" : "target_embedding.weight"] =
        tensor(target_embedding).index_select(0, target);
    if (model.has_own_generator())
      tensors["generator.weight"] = tensor(projection).index_select(0, target);
    if (model.output_bias)
      tensors["generator.bias"] = tensor(projection_bias).index_select(0, target);
    if (model.position == Position::learned) tensors["positions.weight"] = tensor(target_positions);
    return tensors;
  }

  const std::string& place() const { return place_; }

 private:
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  const CTranslate2Variable& variable(const std::string& name) const {
    const auto* found = file_.find(name);
    if (found == nullptr)
      throw FormatError(
          concat(place_, ": has no variable ", name, "; it is not a Transformer that can be read"));
    if (name.ends_with("weight") && found->shape.size() != 2)
      throw FormatError(concat(place_, ": ", name, " is not a matrix; it is damaged"));
    return *found;
  }

  std::int64_t integer(const std::string& name) const {
    const auto& found = variable(name);
    if (!found.shape.empty() ||
        (found.type != CTranslate2Type::i8 && found.type != CTranslate2Type::i16))
      throw FormatError(concat(place_, ": ", name, " is not a small integer"));
    return values(found).item<std::int64_t>();
  }

  [[noreturn]] void refuse(const std::string& name, std::int64_t value) const {
    throw FormatError(
        concat(place_, ": ", name, " is ", value, ", which this program's models do not support"));
  }

  void expect_understood() const {
    for (const char* name : {"decoder/alibi", "encoder/multi_query_attention"})
      if (has(name) && integer(name) != 0) refuse(name, integer(name));
    for (const char* name :
         {"encoder/layer_0/ffn/linear_0_noact/weight", "decoder/layer_0/ffn/linear_0_noact/weight"})
      if (has(name))
        throw FormatError(
            concat(place_, ": has ", name, ", which this program's models do not support"));
    if (has("encoder/layernorm_embedding/gamma") != has("decoder/layernorm_embedding/gamma"))
      throw FormatError(concat(place_,
                               ": layernorm_embedding is on one side only, which this "
                               "program's models do not support"));
    if (scale_factor("encoder/scale_embeddings") != scale_factor("decoder/scale_embeddings"))
      throw FormatError(concat(place_,
                               ": scale_embeddings differs between encoder and decoder; "
                               "this program's models have one"));
    for (const char* name : {"num_heads", "pre_norm", "activation"})
      if (integer(concat("encoder/", name)) != integer(concat("decoder/", name)))
        throw FormatError(
            concat(place_, ": ", name,
                   " differs between encoder and decoder; this program's models have one"));
  }

  static at::Tensor values(const CTranslate2Variable& variable) {
    static const std::map<CTranslate2Type, at::ScalarType> types = {
        {CTranslate2Type::f32, torch::kFloat32}, {CTranslate2Type::i8, torch::kInt8},
        {CTranslate2Type::i16, torch::kInt16},   {CTranslate2Type::i32, torch::kInt32},
        {CTranslate2Type::f16, torch::kFloat16}, {CTranslate2Type::bf16, torch::kBFloat16}};
    const std::vector<std::int64_t> shape(variable.shape.begin(), variable.shape.end());
    return torch::from_blob(const_cast<char*>(variable.bytes.data()), shape,
                            types.at(variable.type))
        .clone();
  }

  /// As float32; quantised weights are multiplied by their scale.
  at::Tensor tensor(const std::string& name) const {
    const auto& found = variable(name);
    const auto numbers = values(found).to(torch::kFloat32);
    if (found.type != CTranslate2Type::i8 && found.type != CTranslate2Type::i16) return numbers;
    const auto alias = file_.aliases.find(name);
    const auto scale_name = concat(alias == file_.aliases.end() ? name : alias->second, "_scale");
    const auto scale = values(variable(scale_name));
    return numbers / (scale.dim() == 0 ? scale : scale.unsqueeze(1));
  }

  bool same(const char* a, const char* b) const {
    return file_.find(a) != nullptr && file_.find(a) == file_.find(b);
  }

  /// What a side multiplies its embeddings by: a number, or a switch for sqrt(d_model).
  double scale_factor(const std::string& name) const {
    const auto& found = variable(name);
    if (found.shape.empty() && found.type == CTranslate2Type::f32)
      return values(found).item<double>();
    return integer(name) != 0 ? root_of_width() : 1.0;
  }

  double root_of_width() const {
    return std::sqrt(static_cast<double>(variable(target_embedding).shape.at(1)));
  }

  void read_positions(ModelOptions& model) const {
    const auto positions = tensor(target_positions);
    model.position = Position::learned;
    model.max_positions = positions.size(0);
    if (positions.size(1) % 2 != 0 || positions.size(1) < 4) return;
    for (const auto order :
         {Sinusoids::interleaved, Sinusoids::halves, Sinusoids::halves_inclusive}) {
      const auto table = sinusoidal_table(positions.size(0) + 2, positions.size(1), order);
      for (const std::int64_t offset : {0, 1, 2}) {
        const auto same = table.narrow(0, offset, positions.size(0));
        if ((positions - same).abs().max().item<double>() >= 1e-4) continue;
        model.position = Position::sinusoidal;
        model.sinusoids = order;
        model.position_offset = offset;
        return;
      }
    }
  }

  static constexpr const char* zero_start = "decoder/start_from_zero_embedding";

  std::string place_;
  CTranslate2File file_;
  nlohmann::json config_;
};

/// Our id of each piece -> its row in their vocabulary.
at::Tensor rows_of(const Tokenizer& tokenizer, const fs::path& file) {
  const auto pieces = nlohmann::json::parse(read_regular_file(file), nullptr, false);
  if (!pieces.is_array())
    throw FormatError(concat(file.string(), ": is not a JSON array of pieces"));
  std::map<std::string, std::int64_t> row;
  for (const auto& piece : pieces) {
    if (!piece.is_string())
      throw FormatError(concat(file.string(), ": is not a JSON array of pieces"));
    row.emplace(piece.get<std::string>(), std::ssize(row));
  }
  if (std::ssize(row) != tokenizer.vocab_size() || row.size() != pieces.size())
    throw FormatError(concat(file.string(), ": has ", row.size(),
                             " different pieces, the tokenizer ", tokenizer.vocab_size(),
                             "; give the tokenizer this model was trained with"));
  std::vector<std::int64_t> rows;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const auto found = row.find(tokenizer.piece(id));
    if (found == row.end())
      throw FormatError(concat(file.string(), ": has no piece '", tokenizer.piece(id),
                               "' of the tokenizer; give the one this model was trained with"));
    rows.push_back(found->second);
  }
  return torch::tensor(rows, torch::kInt64);
}

}  // namespace

Checkpoint import_ctranslate2(const fs::path& model_dir,
                              const std::optional<Vocabulary>& tokenizers,
                              const fs::path& run_dir) {
  expect_empty_folder(run_dir);
  const Importer importer(model_dir);
  const auto vocabulary = tokenizers ? *tokenizers : load_vocabulary(model_dir);
  RunOptions options;
  options.model = importer.options();
  options.tokenizer.joint = vocabulary.joint || options.model.has_joint_embedding();
  if (options.model.position == Position::learned)  // the last row is for EOS
    options.data.max_length = std::min(options.data.max_length, options.model.max_positions - 1);
  const bool shared = fs::exists(model_dir / "shared_vocabulary.json");
  const auto rows = [&](const Tokenizer& tokenizer, const char* own) {
    return rows_of(tokenizer, model_dir / (shared ? "shared_vocabulary.json" : own));
  };
  const auto tensors =
      importer.tensors(options.model, rows(vocabulary.source, "source_vocabulary.json"),
                       rows(vocabulary.target, "target_vocabulary.json"));
  return write_imported_run(
      {.options = options, .vocabulary = vocabulary, .tensors = tensors, .place = importer.place()},
      model_dir, run_dir);
}

}  // namespace dragoman
