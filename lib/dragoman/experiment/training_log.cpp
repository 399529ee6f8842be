#include "dragoman/experiment/training_log.h"

#include "dragoman/core/file.h"

#include <sstream>
#include <vector>

namespace dragoman {

namespace {

using nlohmann::json;

std::vector<json> records_of(const std::filesystem::path& run_dir) {
  std::vector<json> records;
  const auto file = run_dir / "train.jsonl";
  if (!std::filesystem::exists(file)) return records;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    auto record = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object()) records.push_back(std::move(record));
  }
  return records;
}

bool ends_with(const std::filesystem::path& run_dir, const char* event) {
  const auto records = records_of(run_dir);
  return !records.empty() && records.back().value("event", "") == event;
}

void add_point(LossCurve& curve, const json& record) {
  if (!record.at("nll").is_number()) return;
  curve.step.push_back(record.at("step"));
  curve.nll.push_back(record.at("nll"));
}

}  // namespace

bool is_finished(const std::filesystem::path& run_dir) { return ends_with(run_dir, "end"); }

bool has_diverged(const std::filesystem::path& run_dir) { return ends_with(run_dir, "skipped"); }

TrialRecord read_training_log(const std::filesystem::path& run_dir) {
  TrialRecord result;
  for (const auto& record : records_of(run_dir)) {
    const auto event = record.value("event", "");
    if (event == "start") result.values["parameters"] = record.at("parameters");
    if (event == "train") add_point(result.train, record);
    if (event == "validation") add_point(result.valid, record);
    if (event == "end") {
      result.values["skipped"] = record.at("skipped");
      result.values["train_seconds"] = record.at("seconds");
    }
  }
  if (!result.train.nll.empty()) result.values["train_nll"] = result.train.nll.back();
  return result;
}

}  // namespace dragoman
