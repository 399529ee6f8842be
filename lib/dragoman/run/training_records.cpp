#include "dragoman/run/training_records.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/model_file.h"

#include <fstream>
#include <string>
#include <utility>

namespace dragoman {

nlohmann::json training_record(std::string_view line) {
  auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object() || !record.contains("event") || !record["event"].is_string()) return {};
  if (record.contains("step") && !record["step"].is_number_integer()) return {};
  if (record.contains("samples") && !record["samples"].is_array()) return {};
  return record;
}

void for_each_training_record(const std::filesystem::path& run_dir,
                              const std::function<void(nlohmann::json&& record)>& use) {
  const auto file = run_dir / train_log_file;
  if (!std::filesystem::exists(file)) return;
  open_regular_file(file);  // refuses what is no file, or cannot be read
  std::ifstream lines(file, std::ios::binary);
  for (std::string line; std::getline(lines, line);)
    if (auto record = training_record(line); !record.is_null()) use(std::move(record));
  if (lines.bad()) throw DataError(concat(file.string(), ": cannot be read; check its disk"));
}

}  // namespace dragoman
