#pragma once

#include "support/shared.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// The folders of golden/interop_hf, chosen by what they hold: their names do not count.
namespace test {

/// All of them, by name; each has its answers in golden.json.
inline std::vector<std::filesystem::path> model_folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(cases("golden/interop_hf")))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// Whether a folder fits, by its path and its golden.json.
using FolderProperty = std::function<bool(const std::filesystem::path&, const nlohmann::json&)>;

/// The first that fits.
inline std::optional<std::filesystem::path> find_model_folder(const FolderProperty& fits) {
  for (const auto& folder : model_folders())
    if (fits(folder, read_json(folder / "golden.json"))) return folder;
  return std::nullopt;
}

/// The same. \param what the property in words, \throws std::runtime_error with it if none fits
inline std::filesystem::path model_folder(const std::string& what, const FolderProperty& fits) {
  const auto found = find_model_folder(fits);
  if (!found) throw std::runtime_error("golden/interop_hf: no folder has " + what);
  return *found;
}

inline std::filesystem::path folder_of_family(const std::string& family) {
  return model_folder("the family " + family, [&](const auto&, const auto& golden) {
    return golden.value("family", "") == family;
  });
}

/// A MarianMT model with one vocabulary and one matrix, in one safetensors file.
inline std::filesystem::path one_vocabulary_folder() {
  return model_folder("MarianMT with one vocabulary", [](const auto& folder, const auto& golden) {
    return golden.value("family", "") == "marian" &&
           !golden.at("separate_vocabularies").template get<bool>() &&
           golden.at("lm_head_tied").template get<bool>() &&
           std::filesystem::exists(folder / "model.safetensors") &&
           std::filesystem::exists(folder / "generation_config.json");
  });
}

/// A MarianMT model with a vocabulary for each side, in one safetensors file.
inline std::filesystem::path two_vocabularies_folder() {
  return model_folder("MarianMT with two vocabularies", [](const auto& folder, const auto& golden) {
    return golden.value("family", "") == "marian" &&
           golden.at("separate_vocabularies").template get<bool>() &&
           std::filesystem::exists(folder / "model.safetensors") &&
           std::filesystem::exists(folder / "generation_config.json");
  });
}

/// Whether any object of a list has this field.
inline bool any_has(const nlohmann::json& list, const std::string& field) {
  return std::any_of(list.begin(), list.end(),
                     [&](const auto& one) { return one.contains(field); });
}

/// The name among an object's fields that is `prefix` with a number behind it, such as
/// "first_step_top5"; empty if there is none.
inline std::string numbered_key(const nlohmann::json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.items())
    if (key.starts_with(prefix) && key.size() > prefix.size() &&
        key.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
      return key;
  return {};
}

/// The name of what beam search gave for a sentence: "beam4" with four beams.
inline std::string beam_key(const nlohmann::json& sentence) {
  return numbered_key(sentence, "beam");
}

/// A model with this file.
inline std::filesystem::path folder_with(const std::string& file) {
  return model_folder(file, [&](const auto& folder, const auto&) {
    return std::filesystem::exists(folder / file);
  });
}

/// The file of a folder whose name ends so, but no shortlist; an empty path if there is none.
inline std::filesystem::path file_ending(const std::filesystem::path& folder,
                                         const std::string& ending) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name.ends_with(ending) && !name.starts_with("lex.")) return entry.path();
  }
  return {};
}

/// A model in Marian's own form whose files end so.
inline std::filesystem::path marian_folder_with(const std::vector<std::string>& endings) {
  std::string what = "Marian's form and files that end with";
  for (const auto& ending : endings) what += ' ' + ending;
  return model_folder(what, [&](const auto& folder, const auto& golden) {
    return !golden.contains("family") &&
           std::all_of(endings.begin(), endings.end(), [&](const std::string& ending) {
             return !file_ending(folder, ending).empty();
           });
  });
}

/// A pre-norm model in Marian's own form, with self-attention in the decoder, which Marian itself
/// translates without a norm of later keys.
inline std::filesystem::path prenorm_folder() {
  return model_folder("translated_ids", [](const auto&, const auto& golden) {
    return any_has(golden.at("sentences"), "translated_ids");
  });
}

}  // namespace test
