#include "dragoman/run/training_records.h"

#include "dragoman/core/regular_file.h"
#include "dragoman/run/model_file.h"

#include <sstream>
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

std::vector<nlohmann::json> training_records(const std::filesystem::path& run_dir) {
  const auto file = run_dir / train_log_file;
  std::vector<nlohmann::json> records;
  if (!std::filesystem::exists(file)) return records;
  std::istringstream lines(read_regular_file(file));
  for (std::string line; std::getline(lines, line);)
    if (auto record = training_record(line); !record.is_null())
      records.push_back(std::move(record));
  return records;
}

}  // namespace dragoman
