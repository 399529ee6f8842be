#include "dragoman/experiment/text_record.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"
#include "dragoman/storage/sha256.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

using nlohmann::json;

std::filesystem::path texts_file(const std::filesystem::path& dir) { return dir / "texts.json"; }

/// The six texts by the names of their options; the training text may have several files a side.
std::vector<std::pair<const char*, std::vector<std::string>>> sides_of(const TrialTexts& texts) {
  return {{"train-source", texts.train_source},   {"train-target", texts.train_target},
          {"valid-source", {texts.valid_source}}, {"valid-target", {texts.valid_target}},
          {"test-source", {texts.test_source}},   {"test-target", {texts.test_target}}};
}

json record_of(const TrialTexts& texts) {
  json record;
  for (const auto& [side, files] : sides_of(texts)) {
    record[side] = json::array();
    for (const auto& file : files)
      record[side].push_back(
          {{"name", utf8::replace_invalid(std::filesystem::path(file).filename().string())},
           {"sha256", sha256_hex(open_regular_file(file))}});
  }
  return record;
}

/// \param place where it was read, for messages
json checked_record(json record, const std::filesystem::path& place) {
  const auto damaged = [&] {
    return FormatError(concat(place.string(), ": is damaged; give -o a new folder"));
  };
  if (!record.is_object()) throw damaged();
  for (const auto& [side, none] : sides_of({})) {
    if (!record.contains(side) || !record[side].is_array() || record[side].empty()) throw damaged();
    for (const auto& each : record[side])
      if (!each.is_object() || !each.contains("name") || !each["name"].is_string() ||
          !each.contains("sha256") || !each["sha256"].is_string())
        throw damaged();
  }
  return record;
}

json read_record(const std::filesystem::path& file) {
  return checked_record(json::parse(read_file(file), nullptr, /*allow_exceptions=*/false), file);
}

std::vector<std::string> parts_named(const json& side, const char* key) {
  std::vector<std::string> parts;
  for (const auto& each : side) parts.push_back(each.at(key).get<std::string>());
  return parts;
}

}  // namespace

bool are_same_texts(const json& a, const json& b) {
  return std::ranges::all_of(sides_of({}), [&](const auto& side) {
    return parts_named(a.at(side.first), "sha256") == parts_named(b.at(side.first), "sha256");
  });
}

void record_texts(const TrialTexts& texts, const std::filesystem::path& dir) {
  if (!texts.complete()) return;
  const auto given = record_of(texts);
  if (!std::filesystem::exists(texts_file(dir))) {
    make_folder(dir);
    write_file_atomically(texts_file(dir), given.dump(1) + '\n');
    return;
  }
  const auto kept = read_record(texts_file(dir));
  for (const auto& [side, files] : sides_of(texts))
    if (parts_named(kept.at(side), "sha256") != parts_named(given.at(side), "sha256"))
      throw OptionsError(concat("--", side, ": ", dir.string(),
                                " has training runs with another text (",
                                parts_named(kept.at(side), "name").front(),
                                "); give that file, or give -o another folder"));
}

json read_text_record(const std::filesystem::path& dir) {
  return std::filesystem::exists(texts_file(dir)) ? read_record(texts_file(dir)) : json();
}

void restore_text_record(const json& record, const std::filesystem::path& dir) {
  if (record.is_null() || std::filesystem::exists(texts_file(dir))) return;
  make_folder(dir);
  write_file_atomically(texts_file(dir),
                        checked_record(record, "the kept results' text_record").dump(1) + '\n');
}

std::string recorded_texts(const std::filesystem::path& dir) {
  if (!std::filesystem::exists(texts_file(dir))) return TrialTexts{}.description();
  const auto record = read_record(texts_file(dir));
  const auto names = [&](const char* side) { return parts_named(record.at(side), "name"); };
  return TrialTexts{.train_source = names("train-source"),
                    .train_target = names("train-target"),
                    .valid_source = names("valid-source").front(),
                    .valid_target = names("valid-target").front(),
                    .test_source = names("test-source").front(),
                    .test_target = names("test-target").front()}
      .description();
}

}  // namespace dragoman
