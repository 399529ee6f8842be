#include "dragoman/run/manifest.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/stored_json.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/model_file.h"
#include "dragoman/storage/safetensors.h"
#include "dragoman/storage/sha256.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace dragoman {

namespace {

// The manifest's checksum is the SHA-256 of the file as it is with 64 zeros in its place.
constexpr std::string_view checksum_key = "\"checksum\": \"";
constexpr std::string_view no_checksum =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// The position of the 64 digits, or npos.
std::size_t checksum_place(std::string_view text) {
  const auto key = text.rfind(checksum_key);
  if (key == std::string_view::npos) return key;
  const auto place = key + checksum_key.size();
  return text.size() - place < no_checksum.size() ? std::string_view::npos : place;
}

void check_own_checksum(const std::string& text, const std::filesystem::path& path) {
  const auto place = checksum_place(text);
  if (place == std::string::npos)
    throw FormatError(
        concat(path.string(), ": holds no checksum; the file is damaged, restore it"));
  const auto found = text.substr(place, no_checksum.size());
  auto blank = text;
  blank.replace(place, no_checksum.size(), no_checksum);
  if (sha256_hex(blank) != found)
    throw FormatError(
        concat(path.string(), ": its checksum is wrong; the file is damaged, restore it"));
}

/// Before anything else is checked, since a newer version may have other rules for it.
void check_version(const std::string& text, const std::filesystem::path& path) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto version = json.find("format_version");
  if (version == json.end() || !version->is_number_integer() ||
      *version <= checkpoint_format_version)
    return;
  throw NewerVersion(concat(path.string(), ": format_version ", version->dump(), " is newer than ",
                            checkpoint_format_version, ", the newest this program reads; ",
                            "use a newer dragoman"));
}

void check_file(const std::filesystem::path& path, const Manifest::File& expected,
                Verification verification) {
  if (verification == Verification::model && path.filename() == optimizer_file) return;
  const auto file = open_regular_file(path);
  const auto size = file.size();
  if (size != expected.size)
    throw FormatError(concat(path.string(), ": has ", size, " bytes instead of ", expected.size,
                             "; the file is damaged"));
  if (verification == Verification::sizes) return;
  if (sha256_hex(file) != expected.sha256)
    throw FormatError(concat(path.string(), ": its SHA-256 is not the one in manifest.json; ",
                             "the file is damaged"));
  if (path.extension() == ".safetensors") SafetensorsFile{path};
}

}  // namespace

std::int64_t Manifest::total_size() const {
  std::int64_t total = 0;
  for (const auto& [name, file] : files) total += file.size;
  return total;
}

std::string Manifest::to_text() const {
  nlohmann::ordered_json json = {{"format_version", checkpoint_format_version}, {"step", step}};
  json["files"] = nlohmann::ordered_json::object();
  for (const auto& [name, file] : files)
    json["files"][name] = {{"size", file.size}, {"sha256", file.sha256}};
  json["checksum"] = no_checksum;
  auto text = json.dump(2) + "\n";
  text.replace(checksum_place(text), no_checksum.size(), sha256_hex(text));
  return text;
}

Manifest read_manifest(const std::filesystem::path& checkpoint) {
  const auto path = checkpoint / manifest_file;
  const auto text = read_small_file(path);
  check_version(text, path);
  check_own_checksum(text, path);
  try {
    const auto json = parse_stored_json(text, path.string(), "restore it");
    Manifest manifest;
    manifest.step = json.at("step").get<std::int64_t>();
    for (const auto& [name, file] : json.at("files").items())
      manifest.files[name] = {file.at("size").get<std::int64_t>(),
                              file.at("sha256").get<std::string>()};
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(concat(path.string(), ": is not a manifest: ", stored_json_fact(error),
                             "; the file is damaged, restore it"));
  }
}

Manifest verify_checkpoint(const std::filesystem::path& checkpoint, Verification verification) {
  auto manifest = read_manifest(checkpoint);
  for (const auto& [name, expected] : manifest.files) {
    if (std::filesystem::path(name).filename() != name)
      throw FormatError(concat((checkpoint / manifest_file).string(), ": names '", name,
                               "', which is not a file of its folder"));
    check_file(checkpoint / name, expected, verification);
  }
  return manifest;
}

std::optional<std::string> damage_of(const std::filesystem::path& checkpoint,
                                     Verification verification) {
  try {
    verify_checkpoint(checkpoint, verification);
    return std::nullopt;
  } catch (const NewerVersion&) {
    throw;
  } catch (const SystemError& error) {
    if (error.means_missing()) return error.what();
    throw SystemError(
        concat(error.what(), "; this does not prove any damage, so nothing was changed: make ",
               checkpoint.filename().string(),
               " readable, or move it out of its folder to use an older one"),
        error.error_number());
  } catch (const DataError& error) {
    return error.what();
  } catch (const FormatError& error) {
    return error.what();
  }
}

}  // namespace dragoman
