#include "dragoman/run_page/run_history.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/foreign_program.h"
#include "dragoman/run/model_file.h"

#include <sstream>

namespace dragoman {

namespace fs = std::filesystem;

namespace {

/// A record of the file; null if it is cut off or damaged.
nlohmann::json record_of(const std::string& line) {
  auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("event") || !record["event"].is_string()) return {};
  if (record.contains("step") && !record["step"].is_number_integer()) return {};
  if (record.contains("samples") && !record["samples"].is_array()) return {};
  return record;
}

}  // namespace

RunHistory read_run_history(const fs::path& run_dir, WithoutRecords without) {
  const auto file = run_dir / "train.jsonl";
  const bool has_records = fs::exists(file);
  if (!has_records) expect_no_foreign_model(run_dir);
  if (!has_records && without == WithoutRecords::refused)
    throw DataError(concat(file.string(),
                           ": does not exist; give a folder that 'dragoman train' has "
                           "written, or --source and --reference to report how a run translates"));
  const auto folder = fs::weakly_canonical(run_dir);
  RunHistory history{.name = (folder.has_filename() ? folder : folder.parent_path()).filename(),
                     .options = read_stored_options(run_dir / config_file)};
  if (!has_records) return history;
  std::istringstream lines(read_regular_file(file));
  for (std::string line; std::getline(lines, line);) {
    auto record = record_of(line);
    if (record.is_null()) continue;
    const auto event = record["event"].get<std::string>();
    const bool has_step = record.contains("step");
    if (event == "start")
      history.start = std::move(record), history.end = {};
    else if (event == "train" && has_step)
      history.train.push_back(std::move(record));
    else if (event == "validation" && has_step)
      history.validations.push_back(std::move(record));
    else if (event == "end" || event == "stopped")
      history.end = std::move(record);
  }
  if (history.start.is_null())
    throw DataError(concat(file.string(), ": does not record the start of a training run"));
  return history;
}

}  // namespace dragoman
