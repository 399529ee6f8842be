#include "dragoman/run/foreign_program.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/shell_quoted.h"
#include "dragoman/run/model_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>

namespace dragoman {

namespace {

/// Whether a config.json says which kind of model it is, as Hugging Face's does.
bool has_model_type(const std::filesystem::path& config) {
  try {
    return nlohmann::json::parse(read_regular_file(config)).contains("model_type");
  } catch (const std::exception&) {
    return false;  // said when the run is opened
  }
}

}  // namespace

std::string foreign_program(const std::filesystem::path& folder) {
  std::set<std::string> names;
  std::error_code unreadable;  // said when the run is opened
  for (std::filesystem::directory_iterator entry(folder, unreadable), end;
       !unreadable && entry != end; entry.increment(unreadable))
    names.insert(entry->path().filename().string());
  const auto has = [&names](auto... any) { return (names.contains(any) || ...); };
  const auto has_between = [&names](std::string_view begin, std::string_view end) {
    return std::ranges::any_of(names, [&](const std::string& name) {
      return name.starts_with(begin) && name.ends_with(end);
    });
  };
  if (has(manifest_file, state_file, checkpoints_folder)) return {};
  if (has("model.bin") &&
      (has_between("shared_vocabulary.", "") || has_between("source_vocabulary.", "") ||
       has_between("target_vocabulary.", "")))
    return "CTranslate2";
  if (has("config.json") && has_model_type(folder / "config.json")) return "Hugging Face";
  if (has_between("", "decoder.yml") ||
      (has_between("model.", ".bin") &&
       (has_between("vocab.", "spm") || has_between("trgvocab.", "spm"))))
    return "Marian";
  return has_between("", ".pt") && has_between("dict.", ".txt") ? "fairseq" : "";
}

void expect_no_foreign_model(const std::filesystem::path& folder) {
  const auto program = foreign_program(folder);
  if (program.empty()) return;
  throw DataError(concat(folder.string(), ": is a model of ", program,
                         "; make a run of it: dragoman convert --from auto ",
                         shell_quoted(folder.string()), " -o RUN_DIR"));
}

}  // namespace dragoman
