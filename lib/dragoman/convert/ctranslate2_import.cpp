#include "dragoman/config/parse.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/convert/ctranslate2_config.h"
#include "dragoman/convert/ctranslate2_names.h"
#include "dragoman/convert/ctranslate2_variables.h"
#include "dragoman/convert/ctranslate2_versions.h"
#include "dragoman/convert/ctranslate2_vocabulary.h"
#include "dragoman/convert/foreign_folder.h"
#include "dragoman/convert/foreign_model.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/model/positional_encoding.h"
#include "dragoman/run/new_run.h"
#include "dragoman/shortlist/shortlist_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace dragoman {

namespace {

namespace fs = std::filesystem;
using namespace ctranslate2;

constexpr const char* zero_start = "decoder/start_from_zero_embedding";

/// Reads a CTranslate2 model's variables as options and tensors of this program's models.
class CTranslate2Reader {
 public:
  explicit CTranslate2Reader(const CTranslate2Variables& variables) : variables_(variables) {}

  ModelOptions options() const {
    expect_equal_sides();
    ModelOptions model;
    model.d_model = variables_.sizes(target_embedding).second;
    model.num_heads = variables_.integer("encoder/num_heads", 8);
    model.decoder_num_heads =
        decoder_size(model.num_heads, variables_.integer("decoder/num_heads", 8));
    model.encoder_layers = layers("encoder");
    model.decoder_layers = layers("decoder");
    model.d_ff = variables_.sizes("encoder/layer_0/ffn/linear_0/weight").first;
    model.decoder_d_ff =
        decoder_size(model.d_ff, variables_.sizes("decoder/layer_0/ffn/linear_0/weight").first);
    model.norm =
        variables_.integer("decoder/pre_norm", 1) != 0 ? NormPosition::pre : NormPosition::post;
    const auto factor = scale_factor("decoder/scale_embeddings");
    model.embed_scale = factor != 1.0;
    if (model.embed_scale && static_cast<float>(factor) != static_cast<float>(root_of_width()))
      model.embed_scale_value = factor;
    model.embedding_norm = variables_.has("decoder/layernorm_embedding/gamma");
    model.start_vector =
        variables_.integer(zero_start, 0) != 0 ? StartVector::zero : StartVector::token;
    model.output_bias = variables_.has(projection_bias);
    model.activation = activation();
    model.share_embeddings = sharing();
    read_positions(model);
    note_alignment(model);
    return model;
  }

  /// The tensors under our names. \param rows of each of our ids
  NamedTensors tensors(const ModelOptions& model, const CTranslate2Vocabulary& rows) const {
    NamedTensors tensors;
    for (const auto& part : ctranslate2_names(model)) add_part(part, tensors);
    const auto of = [&](const char* name, const at::Tensor& ids, std::int64_t dims) {
      const auto stored = variables_.tensor(name, dims);
      const auto pieces =
          variables_.sizes(&ids == &rows.source ? source_embedding : target_embedding).first;
      if (stored.size(0) != pieces)
        throw FormatError(concat(variables_.place(), ": ", name, " has ", stored.size(0),
                                 " rows, the embeddings have ", pieces));
      const bool in_order = ids.equal(at::arange(stored.size(0)));
      return in_order ? stored : stored.index_select(0, ids);
    };
    const bool one = model.has_joint_embedding();
    if (!one) tensors["source_embedding.weight"] = of(source_embedding, rows.source, 2);
    tensors[one ? "embedding.weight" : "target_embedding.weight"] =
        of(target_embedding, rows.target, 2);
    if (model.has_own_generator()) tensors["generator.weight"] = of(projection, rows.target, 2);
    if (model.output_bias) tensors["generator.bias"] = of(projection_bias, rows.target, 1);
    if (model.position == Position::learned)
      tensors["positions.weight"] = variables_.tensor(target_positions, 2);
    return tensors;
  }

 private:
  std::int64_t layers(const std::string& side) const {
    std::int64_t count = 0;
    while (variables_.has(concat(side, "/layer_", count, "/ffn/linear_0/weight"))) ++count;
    return count;
  }

  /// What encoder and decoder have in common here.
  void expect_equal_sides() const {
    const auto differs = [&](const char* name) {
      throw FormatError(
          concat(variables_.place(), ": ", name,
                 " differs between encoder and decoder; this program's models have one"));
    };
    for (const auto& [name, or_else] : {std::pair{"pre_norm", 1}, {"activation", 0}})
      if (variables_.integer(concat("encoder/", name), or_else) !=
          variables_.integer(concat("decoder/", name), or_else))
        differs(name);
    if (scale_factor("encoder/scale_embeddings") != scale_factor("decoder/scale_embeddings"))
      differs("scale_embeddings");
    if (variables_.has("encoder/layernorm_embedding/gamma") !=
        variables_.has("decoder/layernorm_embedding/gamma"))
      differs("layernorm_embedding");
    // Of one embedding for each source token both ways of merging several are the same.
    variables_.integer("encoder/embeddings_merge", 0);
    if (const auto alibi = variables_.integer("decoder/alibi", 0); alibi != 0)
      variables_.refuse("decoder/alibi", static_cast<double>(alibi),
                        "this program's models do not support it");
    for (const char* name : {"decoder/alibi_use_positive_positions", "decoder/scale_alibi"})
      variables_.integer(name, 0);
  }

  Activation activation() const {
    const auto code = variables_.integer("decoder/activation", 0);
    for (const auto& [activation, number] : activation_codes)
      if (number == code) return activation;
    variables_.refuse("decoder/activation", static_cast<double>(code),
                      "this program's models have no such function");
  }

  /// Which of the three matrices are one variable.
  ShareEmbeddings sharing() const {
    const bool output = variables_.are_one(target_embedding, projection);
    const bool both = variables_.are_one(target_embedding, source_embedding);
    return output && both ? ShareEmbeddings::all
           : output       ? ShareEmbeddings::target_output
           : both         ? ShareEmbeddings::source_target
                          : ShareEmbeddings::none;
  }

  /// What a side multiplies its embeddings by: a number, or a switch for sqrt(d_model).
  double scale_factor(const std::string& name) const {
    if (!variables_.has(name)) return root_of_width();
    const auto value = variables_.number(name);
    if (variables_.is_floating(name)) return value;
    return value != 0.0 ? root_of_width() : 1.0;
  }

  double root_of_width() const {
    return std::sqrt(static_cast<double>(variables_.sizes(target_embedding).second));
  }

  void read_positions(ModelOptions& model) const {
    if (!variables_.has(source_positions) && !variables_.has(target_positions)) {
      model.sinusoids = Sinusoids::halves_inclusive;
      model.position_offset = 1;
      return;
    }
    const auto positions = variables_.tensor(target_positions, 2);
    if (!variables_.are_one(source_positions, target_positions) &&
        !variables_.tensor(source_positions, 2).equal(positions))
      throw FormatError(concat(variables_.place(), ": ", source_positions, " and ",
                               target_positions,
                               " differ; this program's models have one table of positions"));
    if (positions.size(1) != model.d_model)
      throw FormatError(concat(variables_.place(), ": ", target_positions, " has ",
                               positions.size(1), " columns, the embeddings ", model.d_model,
                               "; the file is damaged"));
    model.position = Position::learned;
    model.max_positions = positions.size(0);
    if (positions.size(1) % 2 != 0 || positions.size(1) < 4) return;
    // A table of 16 bits stays as it was rounded: log-probabilities are to be the same.
    for (const auto order :
         {Sinusoids::interleaved, Sinusoids::halves, Sinusoids::halves_inclusive}) {
      const auto table = sinusoidal_table(positions.size(0) + 2, positions.size(1), order);
      for (const std::int64_t offset : {0, 1, 2}) {
        const auto same = table.narrow(0, offset, positions.size(0));
        if (!((positions - same).abs().max().item<double>() < 1e-4)) continue;
        model.position = Position::sinusoidal;
        model.sinusoids = order;
        model.position_offset = offset;
        return;
      }
    }
  }

  /// Alignments are no part of a translation; those of a run are the mean of the last layer's
  /// heads.
  void note_alignment(const ModelOptions& model) const {
    const auto layer = variables_.integer("decoder/alignment_layer", -1);
    const auto heads = variables_.integer("decoder/alignment_heads", 1);
    const bool is_last = layer == -1 || layer == model.decoder_layers - 1;
    if (is_last && (heads == 0 || heads == model.heads_of(StackSide::cross))) return;
    log_info(concat("convert: decoder/alignment_layer is ", layer, ", decoder/alignment_heads is ",
                    heads, ": alignments of the run are the mean of all heads of the last layer"));
  }

  void add_part(const CTranslate2Names& part, NamedTensors& tensors) const {
    const auto count = static_cast<std::int64_t>(part.ours.size());
    const auto divide = [&](const std::string& name, const at::Tensor& stacked, const char* ours) {
      if (stacked.size(0) % count != 0)
        throw FormatError(concat(variables_.place(), ": ", name, " has ", stacked.size(0),
                                 " rows, which is not a multiple of ", count));
      const auto parts = stacked.chunk(count);
      for (std::size_t i = 0; i < part.ours.size(); ++i)
        tensors[part.ours[i] + ours] = parts[i].contiguous();
    };
    const auto weight = part.theirs + (part.is_norm ? "/gamma" : "/weight");
    const auto bias = part.theirs + (part.is_norm ? "/beta" : "/bias");
    const auto values = variables_.tensor(weight, part.is_norm ? 1 : 2);
    divide(weight, values, ".weight");
    // A map may have no bias; a norm without one is another function.
    const bool zeros = !part.is_norm && !variables_.has(bias);
    divide(bias, zeros ? at::zeros({values.size(0)}) : variables_.tensor(bias, 1), ".bias");
  }

  const CTranslate2Variables& variables_;
};

/// The vocabulary map of a model, if it has one. \throws FormatError if it is damaged
std::optional<std::string> read_map(const fs::path& model_dir, const Vocabulary& vocabulary) {
  const auto map = model_dir / vocabulary_map_file;
  if (!fs::exists(map)) return std::nullopt;
  read_shortlist(map, vocabulary);
  return read_regular_file(map);
}

}  // namespace

Checkpoint import_ctranslate2(const CTranslate2Source& source, const ImportedRun& run) {
  expect_empty_folder(run.dir);
  return naming_origin(source.model_dir, run, [&] {
    const auto& folder = source.model_dir;
    const auto place = (folder / "model.bin").string();
    auto file = read_ctranslate2_file(place);
    const auto config = read_ctranslate2_config(folder, file);
    const CTranslate2Variables variables(with_new_names(std::move(file)), place);
    const CTranslate2Reader reader(variables);
    RunOptions options;
    options.model = reader.options();
    options.model.layer_norm_eps = config.layer_norm_eps;
    expect_possible(options.model, place, place);
    auto vocabulary = read_ctranslate2_vocabulary(
        folder, config,
        {.tokenizers = source.tokenizers,
         .languages = source.languages,
         .source_eos = source.source_eos,
         .source_rows = variables.sizes(source_embedding).first,
         .target_rows = variables.sizes(target_embedding).first,
         .joint_embedding = options.model.has_joint_embedding(),
         .starts_from_token = options.model.start_vector == StartVector::token});
    const auto tensors = reader.tensors(options.model, vocabulary);
    variables.expect_all_read();
    options.tokenizer.joint = vocabulary.vocabulary.joint || options.model.has_joint_embedding();
    if (options.model.position == Position::learned)  // the last row is for EOS
      options.data.max_length = std::min(options.data.max_length, options.model.max_positions - 1);
    ForeignModel model{.options = options,
                       .vocabulary = vocabulary.vocabulary,
                       .tensors = tensors,
                       .place = place};
    const auto map = read_map(folder, vocabulary.vocabulary);
    if (map) model.files[vocabulary_map_file] = *map;
    auto made = write_imported_run(model, folder, run);
    // CTranslate2, too, uses the map only when asked to.
    if (map)
      log_info(concat("convert: copied vmap.txt; translate with it by --shortlist ",
                      (run.dir / vocabulary_map_file).string()));
    return made;
  });
}

bool is_ctranslate2(const fs::path& model_dir) {
  if (!fs::exists(model_dir / "model.bin")) return false;
  for (const char* name : {"shared_vocabulary.json", "shared_vocabulary.txt",
                           "target_vocabulary.json", "target_vocabulary.txt"})
    if (fs::exists(model_dir / name)) return true;
  return false;
}

}  // namespace dragoman
