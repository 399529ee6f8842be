#include "dragoman/train/run_history.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/regular_file.h"

#include <sstream>

namespace dragoman {

namespace fs = std::filesystem;

RunHistory read_run_history(const fs::path& run_dir, WithoutRecords without) {
  const auto file = run_dir / "train.jsonl";
  const bool has_records = fs::exists(file);
  if (!has_records && without == WithoutRecords::refused)
    throw DataError(
        concat(file.string(), ": does not exist; give a folder that 'dragoman train' has written"));
  const auto folder = fs::weakly_canonical(run_dir);
  RunHistory history{.name = (folder.has_filename() ? folder : folder.parent_path()).filename(),
                     .options = read_stored_options(run_dir / "config.json")};
  if (!has_records) return history;
  std::istringstream lines(read_regular_file(file));
  for (std::string line; std::getline(lines, line);) {
    auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) continue;  // cut off by a crash
    const auto event = record.value("event", std::string());
    if (event == "start")
      history.start = std::move(record), history.end = {};
    else if (event == "train")
      history.train.push_back(std::move(record));
    else if (event == "validation")
      history.validations.push_back(std::move(record));
    else if (event == "end" || event == "stopped")
      history.end = std::move(record);
  }
  if (history.start.is_null())
    throw DataError(concat(file.string(), ": has no record of a training's start"));
  return history;
}

}  // namespace dragoman
