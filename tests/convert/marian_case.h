#pragma once

#include "convert/foreign_case.h"
#include "dragoman/convert/marian.h"
#include "dragoman/convert/marian_weights.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/file.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/storage/zip_file.h"
#include "storage/zip_support.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Marian's folders of the golden cases, as they are and changed.
namespace marian_case {

using namespace dragoman;
namespace fs = std::filesystem;

inline LoadedRun imported(const fs::path& model, const fs::path& run_dir) {
  import_marian(model, run_dir);
  return load_run(run_dir);
}

/// Reads the folders of Marian's forms, all with the same settings.
/// \param check (run, one part of its answers)
template <typename Check>
void for_models(const std::vector<std::string>& settings, const char* answers, const Check& check) {
  for (const auto& folder : test::marian_folders()) {
    CAPTURE(folder.filename().string());
    const test::TemporaryDirectory made;
    import_marian(folder, ImportedRun(made / "run", settings, folder));
    check(load_run(made / "run"), test::read_json(folder / "golden.json").at(answers));
  }
}

/// A copy of a folder whose .npz model has another set of entries.
/// \param change (entries by name, with their content) -> what is written
template <typename Change>
void copy_changed(const fs::path& original, const fs::path& copy, const Change& change) {
  fs::copy(original, copy, fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator(copy)) {
    if (entry.path().extension() != ".npz") continue;
    std::map<std::string, std::string> entries;
    {
      const ZipFile file(entry.path());
      for (const auto& [member, content] : file.entries()) entries.emplace(member, content);
    }
    change(entries);
    std::vector<test::ZipEntry> written;
    for (const auto& [member, content] : entries)
      written.push_back({.name = member, .content = content});
    fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
    write_file_atomically(entry.path(), test::zip_of(written));
  }
}

/// The model of a folder; an empty path if it is no .npz.
inline fs::path npz_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".npz") return entry.path();
  return {};
}

/// A NumPy array of bytes.
inline std::string byte_array(const std::string& text) {
  const auto dict =
      concat("{'descr': '|i1', 'fortran_order': False, 'shape': (", text.size(), ",), }\n");
  return "\x93NUMPY\x01" + std::string(1, '\0') + test::little(dict.size(), 2) + dict + text;
}

/// The options of a model with a line replaced.
inline void replace_option(std::map<std::string, std::string>& entries, const std::string& key,
                           const std::string& value) {
  auto& array = entries.at("special:model.yml.npy");
  auto text = array.substr(array.find('\n') + 1);
  const auto at = ('\n' + text).find('\n' + key + ':');
  REQUIRE(at != std::string::npos);
  auto end = text.find('\n', at);
  while (end + 1 < text.size() && text[end + 1] == ' ') end = text.find('\n', end + 1);
  text.replace(at, end - at, concat(key, ": ", value));
  array = byte_array(text);
}

/// A number among the options of a folder's .npz model.
inline std::int64_t option_of(const fs::path& folder, const std::string& key) {
  return std::stoll(MarianWeights(npz_in(folder)).options().at(key).front());
}

}  // namespace marian_case
