#pragma once

#include "dragoman/convert/huggingface.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/model_folders.h"
#include "support/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string>

/// Copies of the golden folders, to be damaged.
namespace huggingface_copy {

using namespace dragoman;
using nlohmann::json;
namespace fs = std::filesystem;

/// A copy of a model folder to damage.
class Copy {
 public:
  explicit Copy(const fs::path& original) {
    fs::copy(original, folder_ / "model", fs::copy_options::recursive);
  }

  fs::path operator/(const std::string& file) const { return folder_ / "model" / file; }

  /// Changes a JSON file of the folder.
  Copy& edit(const std::string& file, const std::function<void(json&)>& change) {
    auto value = test::read_json(*this / file);
    change(value);
    write_file_atomically(*this / file, value.dump());
    return *this;
  }

  /// What refuses the folder; empty if it is read. Nothing may be left behind.
  std::string refusal(const Languages& languages = {}) const {
    try {
      import_huggingface(folder_ / "model", languages, folder_ / "run");
    } catch (const Error& error) {
      CHECK_FALSE(fs::exists(folder_ / "run"));
      return error.what();
    }
    fs::remove_all(folder_ / "run");
    return "";
  }

 private:
  test::TemporaryDirectory folder_;
};

/// A JSON file of a folder as it is.
inline json read_part(const fs::path& model, const std::string& file) {
  return test::read_json(model / file);
}

/// The languages of a folder's answers.
inline Languages languages_of(const fs::path& model) {
  const auto golden = read_part(model, "golden.json");
  return {.source = golden.at("source_language").get<std::string>(),
          .target = golden.at("target_language").get<std::string>()};
}

}  // namespace huggingface_copy
