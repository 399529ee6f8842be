#include "dragoman/convert/ctranslate2_versions.h"

#include "dragoman/core/concat.h"

#include <string_view>
#include <utility>

namespace dragoman {

namespace {

using Renames = std::map<std::string_view, std::string_view>;

/// Parts of a path in revision 1, which had the names of a TensorFlow graph.
std::string_view renamed_part(std::string_view part, bool in_encoder) {
  static const Renames both = {{"LayerNorm", "layer_norm"},    {"kernel", "weight"},
                               {"dense", "projection"},        {"conv1d", "linear_0"},
                               {"conv1d_1", "linear_1"},       {"conv1d_2", "linear_2"},
                               {"w_embs", "embeddings/weight"}};
  if (part == "masked_multi_head") return "self_attention";
  if (part == "multi_head") return in_encoder ? "self_attention" : "attention";
  if (part == "kernel_scale") return "weight_scale";
  if (part == "w_embs_scale") return "embeddings/weight_scale";
  const auto found = both.find(part);
  return found == both.end() ? part : found->second;
}

std::string renamed(std::string_view name) {
  constexpr std::string_view root = "transformer/", output = ":0";
  if (name.starts_with(root)) name.remove_prefix(root.size());
  const bool in_encoder = name.starts_with("encoder/");
  std::string path;
  while (!name.empty()) {
    const auto slash = name.find('/');
    std::string part(name.substr(0, slash));
    name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
    // The mark of a graph's output stands before the ending of a scale, too.
    if (const auto mark = part.find(output); mark != std::string::npos)
      part.erase(mark, output.size());
    path += concat(path.empty() ? "" : "/", renamed_part(part, in_encoder));
  }
  return path;
}

void rename(CTranslate2File& file, const std::string& from, const std::string& to) {
  if (auto variable = file.variables.extract(from); !variable.empty()) {
    variable.key() = to;
    file.variables.insert(std::move(variable));
  }
  if (auto alias = file.aliases.extract(from); !alias.empty()) {
    alias.key() = to;
    file.aliases.insert(std::move(alias));
  }
  for (auto& [alias, name] : file.aliases)
    if (name == from) name = to;
}

void rename_all(CTranslate2File& file) {
  std::map<std::string, CTranslate2Variable> variables;
  for (auto& [name, variable] : file.variables)
    variables.emplace(renamed(name), std::move(variable));
  file.variables = std::move(variables);
}

/// Scalars that encoder and decoder had in common.
void divide_scalars(CTranslate2File& file) {
  for (const std::string name : {"num_heads", "pre_norm", "activation", "embeddings_merge",
                                 "alignment_layer", "alignment_heads"}) {
    const auto scalar = file.variables.extract(name);
    if (scalar.empty()) continue;
    const bool of_decoder = name.starts_with("alignment"), of_encoder = name == "embeddings_merge";
    if (!of_decoder) file.variables.emplace("encoder/" + name, scalar.mapped());
    if (!of_encoder) file.variables.emplace("decoder/" + name, scalar.mapped());
  }
}

/// A text as a vector of bytes, or none.
nlohmann::json text_in(CTranslate2File& file, const char* name, const char* or_else) {
  const auto variable = file.variables.extract(name);
  return variable.empty() ? or_else : std::string(variable.mapped().bytes.view());
}

bool flag_in(CTranslate2File& file, const char* name, bool or_else) {
  const auto variable = file.variables.extract(name);
  return variable.empty()
             ? or_else
             : variable.mapped().bytes.view().find_first_not_of('\0') != std::string::npos;
}

}  // namespace

CTranslate2File with_new_names(CTranslate2File file) {
  if (file.revision == 1) rename_all(file);
  if (file.revision < 3)
    file.variables.emplace(
        "num_heads",
        CTranslate2Variable{.shape = {},
                            .type = CTranslate2Type::i8,
                            .bytes = std::string(1, file.spec == "TransformerBig" ? 16 : 8)});
  if (file.revision < 5) divide_scalars(file);
  for (const std::string ending : {"", "_scale"})
    rename(file, "encoder/embeddings/weight" + ending, "encoder/embeddings_0/weight" + ending);
  for (const std::string side : {"encoder", "decoder"})
    rename(file, side + "/embeddings/multiply_by_sqrt_depth", side + "/scale_embeddings");
  return file;
}

nlohmann::json take_config(CTranslate2File& file) {
  auto config = nlohmann::json::object();
  if (file.version >= 6) return config;
  for (const auto& [key, or_else] :
       {std::pair{"unk_token", "<unk>"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}})
    config[key] = text_in(file, key, or_else);
  config["add_source_bos"] = flag_in(file, "with_source_bos", false);
  config["add_source_eos"] = flag_in(file, "with_source_eos", false);
  const bool of_caller = flag_in(file, "user_decoder_start_tokens", false);
  const bool is_bos = flag_in(file, "with_target_bos", true);
  config["decoder_start_token"] = config.at(is_bos ? "bos_token" : "eos_token");
  if (of_caller) config["decoder_start_token"] = nullptr;
  return config;
}

}  // namespace dragoman
