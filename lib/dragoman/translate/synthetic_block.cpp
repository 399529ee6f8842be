#include "dragoman/translate/synthetic_block.h"

#include "dragoman/core/file.h"
#include "dragoman/storage/sha256.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <regex>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

using Strings = std::vector<std::string>;

/// A block's JSON; none if it is missing or damaged, so that it is made again.
std::optional<nlohmann::json> json_in(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

bool is_of(const nlohmann::json& json, const SyntheticBlock& block) {
  return json.value("lines_sha256", nlohmann::json()) == sha256_hex(block.text());
}

std::string sha256_of(const Strings& translations) {
  return sha256_hex(SyntheticBlock{.lines = translations, .references = {}}.text());
}

}  // namespace

std::string SyntheticBlock::text() const {
  std::string all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    all += lines[i] + '\n';
    if (!references.empty()) all += references[i] + '\n';
  }
  return all;
}

SyntheticBlockFile::SyntheticBlockFile(const fs::path& folder, std::int64_t number) {
  char name[40];
  std::snprintf(name, sizeof name, "block-%08lld.json", static_cast<long long>(number));
  path_ = folder / name;
}

bool SyntheticBlockFile::is_of_other(const SyntheticBlock& block) const {
  const auto json = json_in(path_);
  return json && json->contains("lines_sha256") && !is_of(*json, block);
}

std::optional<Strings> SyntheticBlockFile::read(const SyntheticBlock& block) const {
  const auto json = json_in(path_);
  if (!json || !is_of(*json, block)) return std::nullopt;
  const auto found = json->find("translations");
  if (found == json->end() || !found->is_array()) return std::nullopt;
  Strings translations;
  for (const auto& text : *found) {
    if (!text.is_string()) return std::nullopt;
    translations.push_back(text.get<std::string>());
  }
  const bool intact =
      translations.size() == block.lines.size() &&
      json->value("translations_sha256", nlohmann::json()) == sha256_of(translations);
  return intact ? std::optional(std::move(translations)) : std::nullopt;
}

void SyntheticBlockFile::write(const SyntheticBlock& block, const Strings& translations) const {
  const nlohmann::json json{{"lines_sha256", sha256_hex(block.text())},
                            {"translations_sha256", sha256_of(translations)},
                            {"translations", translations}};
  write_file_atomically(path_, json.dump(1) + '\n');
}

void remove_synthetic_blocks(const fs::path& folder) {
  static const std::regex name(R"(block-\d+\.json)");
  std::vector<fs::path> blocks;
  for (const auto& entry : fs::directory_iterator(folder))
    if (std::regex_match(entry.path().filename().string(), name)) blocks.push_back(entry.path());
  for (const auto& path : blocks) fs::remove(path);
}

}  // namespace dragoman
