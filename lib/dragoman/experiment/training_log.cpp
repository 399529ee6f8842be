#include "dragoman/experiment/training_log.h"

#include "dragoman/run/training_records.h"

namespace dragoman {

namespace {

using nlohmann::json;

bool has_number(const json& record, const char* key) {
  return record.contains(key) && record.at(key).is_number();
}

void add_point(LossCurve& curve, const json& record) {
  if (!has_number(record, "nll") || !has_number(record, "step")) return;
  curve.step.push_back(record.at("step"));
  curve.nll.push_back(record.at("nll"));
}

}  // namespace

bool is_finished(const std::filesystem::path& run_dir) {
  bool is_at_end = false;
  for_each_training_record(run_dir,
                           [&](const json& record) { is_at_end = record.at("event") == "end"; });
  return is_at_end;
}

TrialRecord read_training_log(const std::filesystem::path& run_dir) {
  TrialRecord result;
  for_each_training_record(run_dir, [&result](const json& record) {
    const auto event = record.at("event");
    const auto keep = [&](const char* key, const char* name) {
      if (has_number(record, key)) result.values[name] = record.at(key);
    };
    if (event == "start") {
      keep("parameters", "parameters");
      if (result.version.empty()) result.version = record.value("version", "");
      if (record.value("device", "") == "cpu")
        result.threads =
            record.value("workers", std::int64_t{0}) * record.value("threads", std::int64_t{0});
    }
    if (event == "train") add_point(result.train, record);
    if (event == "validation") add_point(result.valid, record);
    if (event != "end") return;
    keep("skipped", "skipped");
    keep("seconds", "train_seconds");
  });
  if (!result.train.nll.empty()) result.values["train_nll"] = result.train.nll.back();
  return result;
}

}  // namespace dragoman
