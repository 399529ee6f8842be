#include "dragoman/experiment/training_log.h"

#include "dragoman/run/training_records.h"

namespace dragoman {

namespace {

using nlohmann::json;

bool ends_with(const std::filesystem::path& run_dir, const char* event) {
  const auto records = training_records(run_dir);
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
  for (const auto& record : training_records(run_dir)) {
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
