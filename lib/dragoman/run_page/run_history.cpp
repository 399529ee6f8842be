#include "dragoman/run_page/run_history.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/foreign_program.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/training_records.h"

#include <utility>

namespace dragoman {

namespace fs = std::filesystem;

namespace {

/// By the newest checkpoint: a tokenizer that was given is not in config.json.
std::string pieces_of(const fs::path& run_dir) try {
  std::string checksums;
  const auto checkpoints = CheckpointStore(run_dir).list();
  if (checkpoints.empty()) return checksums;
  for (const auto& [name, file] : read_manifest(checkpoints.front().path).files)
    if (name.starts_with("tokenizer")) checksums += file.sha256;
  return checksums;
} catch (const Error&) {
  return {};
}

}  // namespace

std::string text_in(const nlohmann::json& record, const char* key) {
  const auto value = record.find(key);
  return value != record.end() && value->is_string() ? value->get<std::string>() : std::string();
}

RunHistory read_run_history(const fs::path& run_dir, WithoutRecords without) {
  const auto file = run_dir / train_log_file;
  const bool has_records = fs::exists(file);
  if (!has_records) expect_no_foreign_model(run_dir);
  if (!has_records && without == WithoutRecords::refused)
    throw DataError(concat(file.string(),
                           ": does not exist; give a folder that 'dragoman train' has "
                           "written, or --source and --reference to report how a run translates"));
  const auto folder = fs::weakly_canonical(run_dir);
  RunHistory history{.name = (folder.has_filename() ? folder : folder.parent_path()).filename(),
                     .options = read_stored_options(run_dir / config_file),
                     .pieces = pieces_of(run_dir)};
  if (!has_records) return history;
  for_each_training_record(run_dir, [&history](nlohmann::json&& record) {
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
  });
  if (history.start.is_null())
    throw DataError(concat(file.string(), ": does not record the start of a training run"));
  return history;
}

}  // namespace dragoman
