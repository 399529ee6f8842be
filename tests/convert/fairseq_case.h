#pragma once

#include "convert/foreign_case.h"
#include "convert/random_run.h"
#include "convert/same_parameters.h"
#include "convert/sentencepiece_of.h"
#include "dragoman/convert/fairseq.h"
#include "dragoman/core/file.h"
#include "dragoman/run/parameters.h"
#include "storage/zip_support.h"

#include <string>
#include <utility>
#include <vector>

/// A tiny random model as fairseq writes it.
namespace fairseq_case {

using namespace dragoman;
namespace fs = std::filesystem;
using test::little;

// The opcodes of a pickle, as Python's pickletools names them.
inline std::string unicode(const std::string& text) { return 'X' + little(text.size(), 4) + text; }
inline std::string global(const std::string& module, const std::string& name) {
  return 'c' + module + '\n' + name + '\n';
}
inline std::string integer(std::int64_t value) {
  return "\x8A" + little(8, 1) + little(static_cast<std::uint64_t>(value), 8);
}
inline std::string tuple(const std::string& items) { return '(' + items + 't'; }
inline std::string dict(const std::string& items) { return "}(" + items + 'u'; }
inline std::string no_dict() { return global("collections", "OrderedDict") + ")R"; }

inline std::string pickled(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "\x88" : "\x89";
  if (value.is_number_integer()) return integer(value.get<std::int64_t>());
  if (value.is_string()) return unicode(value.get<std::string>());
  return "N";
}

inline std::string pickled_options(const nlohmann::json& options) {
  std::string items;
  for (const auto& [key, value] : options.items()) items += unicode(key) + pickled(value);
  return dict(items);
}

/// An argparse.Namespace.
inline std::string name_space(const nlohmann::json& options) {
  return global("argparse", "Namespace") + ")\x81" + pickled_options(options) + 'b';
}

/// The tensors as torch.save writes them, each with a storage of its own.
struct Archive {
  std::vector<test::ZipEntry> files;
  std::string items;

  void add(const std::string& name, const at::Tensor& tensor) {
    const auto values = tensor.to(at::kFloat).contiguous();
    const auto key = std::to_string(files.size());
    std::string sizes, steps;
    for (const auto size : values.sizes()) sizes += integer(size);
    for (const auto step : values.strides()) steps += integer(step);
    const auto storage = tuple(unicode("storage") + global("torch", "FloatStorage") + unicode(key) +
                               unicode("cpu") + integer(values.numel())) +
                         'Q';
    items += unicode(name) + global("torch._utils", "_rebuild_tensor_v2") +
             tuple(storage + integer(0) + tuple(sizes) + tuple(steps) + "\x89" + no_dict()) + 'R';
    files.push_back({.name = "model/data/" + key,
                     .content = std::string(static_cast<const char*>(values.const_data_ptr()),
                                            static_cast<std::size_t>(values.nbytes()))});
  }

  std::string bytes(const std::string& other_entries) const {
    auto all = files;
    all.push_back(
        {.name = "model/data.pkl",
         .content = "\x80\x02" +
                    dict(unicode("model") + no_dict() + '(' + items + 'u' + other_entries) + '.'});
    return test::zip_of(all);
  }
};

inline RunOptions fairseq_form() {
  auto options = test::small_options();
  options.model.sinusoids = Sinusoids::halves_inclusive;
  options.model.position_offset = 2;
  return options;
}

inline nlohmann::json options_of(const ModelOptions& model) {
  nlohmann::json options{{"arch", "transformer_iwslt_de_en"},
                         {"source_lang", "xx"},
                         {"target_lang", "yy"},
                         {"activation_fn", "relu"},
                         {"share_all_embeddings", model.has_joint_embedding()},
                         {"share_decoder_input_output_embed", !model.has_own_generator()},
                         {"adaptive_softmax_cutoff", nullptr},
                         {"encoder_layers", model.encoder_layers},
                         {"decoder_layers", model.decoder_layers}};
  for (const std::string side : {"encoder_", "decoder_"}) {
    options[side + "embed_dim"] = model.d_model;
    options[side + "ffn_embed_dim"] = model.d_ff;
    options[side + "attention_heads"] =
        model.heads_of(side == "encoder_" ? StackSide::encoder : StackSide::decoder);
    options[side + "normalize_before"] = model.norm == NormPosition::pre;
    options[side + "learned_pos"] = model.position == Position::learned;
  }
  return options;
}

/// fairseq's name of one of our parameters.
inline std::string their_name(std::string name) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    if (const auto at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"self_attention_norm", "self_attn_layer_norm"},
           {"memory_attention_norm", "encoder_attn_layer_norm"},
           {"feed_forward_norm", "final_layer_norm"},
           {"self_attention", "self_attn"},
           {"memory_attention", "encoder_attn"},
           {".query.", ".q_proj."},
           {".key.", ".k_proj."},
           {".value.", ".v_proj."},
           {".output.", ".out_proj."},
           {"feed_forward.inner", "fc1"},
           {"feed_forward.outer", "fc2"},
           {"final_norm", "layer_norm"},
           {"source_embedding.", "encoder.embed_tokens."},
           {"target_embedding.", "decoder.embed_tokens."},
           {"generator.weight", "decoder.output_projection.weight"}})
    replace(from, to);
  return name;
}

/// A random model of fairseq in a folder, with the run that it should become.
struct FairseqCase {
  test::TemporaryDirectory folder;
  fs::path model = folder / "model";
  LoadedRun expected;
  nlohmann::json options;
  Archive archive;
  std::vector<std::string> tokens;

  explicit FairseqCase(const RunOptions& run_options) : expected(test::random_run(run_options)) {
    options = options_of(run_options.model);
    const auto rows = expected.vocabulary.source.vocab_size();
    for (std::int64_t i = 4; i < rows; ++i) tokens.push_back("\u2581t" + std::to_string(i));
    for (const auto& [name, tensor] : parameters_of(*expected.model)) {
      if (name == "embedding.weight") {
        archive.add("encoder.embed_tokens.weight", tensor);
        archive.add("decoder.embed_tokens.weight", tensor);
      } else if (name == "positions.weight") {
        const auto rows_before = at::zeros({2, tensor.size(1)});
        archive.add("encoder.embed_positions.weight", at::cat({rows_before, tensor}));
        archive.add("decoder.embed_positions.weight", at::cat({rows_before, tensor}));
      } else {
        archive.add(their_name(name), tensor);
      }
    }
    archive.add("encoder.version", at::ones({1}));
    fs::create_directories(model);
    std::string dictionary;
    for (const auto& token : tokens) dictionary += token + " 7\n";
    for (const char* name : {"dict.xx.txt", "dict.yy.txt"})
      write_file_atomically(model / name, dictionary);
    write_file_atomically(model / "sentencepiece.bpe.model", test::sentencepiece_of(tokens));
  }

  /// Reads the folder with these entries beside the model.
  std::string refusal(const std::string& entries) const {
    write_file_atomically(model / "checkpoint_best.pt", archive.bytes(entries));
    fs::remove_all(folder / "run");
    try {
      import_fairseq({.model_dir = model}, folder / "run");
    } catch (const Error& error) {
      CHECK_FALSE(fs::exists(folder / "run"));
      return error.what();
    }
    return "";
  }

  std::string refusal_with(const std::string& key, const nlohmann::json& value) const {
    auto changed = options;
    changed[key] = value;
    return refusal(unicode("args") + name_space(changed));
  }

  void check() const {
    const auto run = load_run(folder / "run");
    auto model_options = expected.options.model;
    model_options.dropout = run.options.model.dropout;
    CHECK(nlohmann::json(run.options.model) == nlohmann::json(model_options));
    test::check_parameters(run, expected);
    const auto special = run.vocabulary.target.special();
    CHECK((special.bos == 2 && special.eos == 2 && special.unk == 3));
    CHECK(run.vocabulary.source.piece(4) == tokens[0]);
    CHECK(run.vocabulary.source.encode("t5 t4") == std::vector<std::int32_t>{5, 4});
  }
};

}  // namespace fairseq_case
