#include "dragoman/convert/ctranslate2_versions.h"

#include "convert/foreign_case.h"
#include "convert/random_run.h"
#include "convert/same_parameters.h"
#include "dragoman/convert/ctranslate2.h"
#include "dragoman/core/file.h"

#include <fstream>

namespace ctranslate2_versions_test {

using namespace dragoman;
namespace fs = std::filesystem;
using test::Ids;

namespace {

/// A model with what the first version took for granted.
RunOptions first_options() {
  RunOptions options;
  options.model.d_model = 8;
  options.model.d_ff = 16;
  options.model.num_heads = 8;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.model.norm = NormPosition::pre;
  options.model.sinusoids = Sinusoids::halves_inclusive;
  options.model.position_offset = 1;
  options.model.share_embeddings = ShareEmbeddings::none;
  options.model.output_bias = true;
  return options;
}

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_name(std::string& out, const std::string& name) {
  put(out, static_cast<std::uint16_t>(name.size() + 1));
  out += name + '\0';
}

/// The bytes of a file in binary version 1 to 3.
std::string old_bytes(const CTranslate2File& file) {
  std::string out;
  put(out, file.version);
  if (file.version > 1) put_name(out, file.spec), put(out, file.revision);
  put(out, static_cast<std::uint32_t>(file.variables.size()));
  for (const auto& [name, variable] : file.variables) {
    put_name(out, name);
    put(out, static_cast<std::uint8_t>(variable.shape.size()));
    for (const auto size : variable.shape) put(out, size);
    const auto element = static_cast<std::uint8_t>(size_of(variable.type));
    put(out, element);
    put(out, static_cast<std::uint32_t>(variable.bytes.size() / element));
    out += variable.bytes.view();
  }
  if (file.version < 3) return out;
  put(out, static_cast<std::uint32_t>(file.aliases.size()));
  for (const auto& [alias, name] : file.aliases) put_name(out, alias), put_name(out, name);
  return out;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

/// The name that a variable had in the first version.
std::string first_name(std::string name) {
  const bool in_decoder = name.starts_with("decoder");
  if (in_decoder) replace(name, "/attention/", "/multi_head/");
  replace(name, "/self_attention/", in_decoder ? "/masked_multi_head/" : "/multi_head/");
  replace(name, "layer_norm", "LayerNorm");
  replace(name, "linear_0", "conv1d");
  replace(name, "linear_", "conv1d_");
  replace(name, "projection", "dense");
  replace(name, "embeddings_0/weight", "w_embs");
  replace(name, "embeddings/weight", "w_embs");
  replace(name, "weight", "kernel");
  return "transformer/" + name + ":0";
}

/// The exported file of a run without scalars and positions.
CTranslate2File weights_of(const LoadedRun& run) {
  const test::TemporaryDirectory folder;
  export_ctranslate2(run, folder / "ct2");
  auto file = read_ctranslate2_file(folder / "ct2" / "model.bin");
  std::erase_if(file.variables, [](const auto& entry) {
    return entry.second.shape.empty() ||
           entry.first.find("position_encodings") != std::string::npos;
  });
  file.aliases.clear();
  return file;
}

/// A file in a folder with vocabularies as text, read as a run.
LoadedRun read_back(const CTranslate2File& file, const LoadedRun& run) {
  const test::TemporaryDirectory folder;
  fs::create_directories(folder / "ct2");
  write_file_atomically(folder / "ct2" / "model.bin", old_bytes(file));
  const auto write_pieces = [&](const char* name, const Tokenizer& tokenizer) {
    std::ofstream out(folder / "ct2" / name);
    for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) out << tokenizer.piece(id) << '\n';
  };
  write_pieces("source_vocabulary.txt", run.vocabulary.source);
  write_pieces("target_vocabulary.txt", run.vocabulary.target);
  import_ctranslate2(
      {.model_dir = folder / "ct2", .tokenizers = run.vocabulary, .source_eos = true},
      folder / "run");
  return load_run(folder / "run");
}

void check_equal(const LoadedRun& found, const LoadedRun& expected) {
  CHECK(nlohmann::json(found.options.model) == nlohmann::json(expected.options.model));
  test::check_parameters(found, expected);
}

}  // namespace

TEST_CASE("a model.bin of the first version is read by the names that it had", "[unit]") {
  const auto run = test::random_run(first_options(), false);
  test::forbid_padding(run);
  auto file = weights_of(run);
  CTranslate2File first{.version = 1, .spec = "", .revision = 1, .variables = {}, .aliases = {}};
  for (const auto& [name, variable] : file.variables)
    first.variables.emplace(first_name(name), variable);
  check_equal(read_back(first, run), run);
}

TEST_CASE("up to revision 4 encoder and decoder share their scalars", "[unit]") {
  auto options = first_options();
  options.model.num_heads = 2;
  options.model.norm = NormPosition::post;
  options.model.activation = Activation::gelu_tanh;
  const auto run = test::random_run(options, false);
  test::forbid_padding(run);
  auto file = weights_of(run);
  file.version = 3;
  file.revision = 4;
  const auto scalar = [&](const char* name, char value) {
    file.variables[name] = {
        .shape = {}, .type = CTranslate2Type::i8, .bytes = std::string(1, value)};
  };
  scalar("num_heads", 2);
  scalar("pre_norm", 0);
  scalar("activation", 1);
  scalar("alignment_heads", 0);
  check_equal(read_back(file, run), run);
}

TEST_CASE("the kind of model told the number of heads before revision 3", "[unit]") {
  CTranslate2File file{
      .version = 2, .spec = "TransformerBig", .revision = 2, .variables = {}, .aliases = {}};
  const auto heads = [](const CTranslate2File& of) {
    return with_new_names(of).find("decoder/num_heads")->bytes;
  };
  CHECK(heads(file) == std::string(1, 16));
  file.spec = "TransformerBase";
  CHECK(heads(file) == std::string(1, 8));
}

TEST_CASE("what config.json says stood in model.bin up to version 5", "[unit]") {
  CTranslate2File file;
  file.version = 5;
  const auto text = [&](const char* name, const std::string& value) {
    file.variables[name] = {.shape = {static_cast<std::uint32_t>(value.size())},
                            .type = CTranslate2Type::i8,
                            .bytes = value};
  };
  const auto flag = [&](const char* name, char value) {
    file.variables[name] = {
        .shape = {}, .type = CTranslate2Type::i8, .bytes = std::string(1, value)};
  };
  text("eos_token", "<end>");
  flag("with_source_eos", 1);
  flag("with_target_bos", 0);
  const auto config = take_config(file);
  CHECK(file.variables.empty());
  CHECK(config.at("eos_token").get<std::string>() == "<end>");
  CHECK(config.at("unk_token").get<std::string>() == "<unk>");
  CHECK(config.at("add_source_eos").get<bool>());
  CHECK_FALSE(config.at("add_source_bos").get<bool>());
  CHECK(config.at("decoder_start_token").get<std::string>() == "<end>");
  flag("user_decoder_start_tokens", 1);
  CHECK(take_config(file).at("decoder_start_token").is_null());
}

}  // namespace ctranslate2_versions_test
