#include "dragoman/train/train_log.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/training_records.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

namespace dragoman {

namespace {

/// Whether something had happened before a checkpoint with this state was complete: a process that
/// goes on from it does all else again.
bool precedes(const nlohmann::json& record, const TrainingState& state) try {
  if (record.is_null()) return false;
  const auto event = record.value("event", "");
  const auto number = [&](const char* key) { return record.value(key, std::int64_t{0}); };
  if (event == "validation") return number("step") <= validated_step(state);
  if (event == "skipped" && number("skipped") > state.skipped) return false;
  return number("step") <= state.step;
} catch (const nlohmann::json::exception&) {
  return false;  // no record of this program
}

/// The records that precede `state`; a last line that a crash cut off is dropped as well.
std::string records_up_to(const std::string& text, const TrainingState& state) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (precedes(training_record(line), state)) kept += line + '\n';
  return kept;
}

/// The same file with its end taken back: those who follow it would not see another one.
void cut(const std::filesystem::path& path, std::size_t size) {
  const Descriptor file(path, O_WRONLY);
  if (::ftruncate(file.number(), static_cast<off_t>(size)) != 0)
    throw DataError(concat(path.string(), ": cannot be cut: ", system_error_text(errno)));
  file.sync();
}

}  // namespace

TrainLog::TrainLog(const std::filesystem::path& run_dir, const TrainingState& state)
    : file_(nullptr, &std::fclose), place_(run_dir), path_(run_dir / train_log_file) {
  if (std::filesystem::exists(path_)) {
    const auto text = read_file(path_);
    const auto kept = records_up_to(text, state);
    if (!text.starts_with(kept))
      write_file_atomically(path_, kept);
    else if (text.size() > kept.size())
      cut(path_, kept.size());
  }
  file_.reset(std::fopen(path_.c_str(), "ae"));
  if (!file_)
    throw DataError(concat(path_.string(), ": cannot be opened: ", system_error_text(errno)));
}

void TrainLog::write(const nlohmann::json& record) {
  place_.expect_unchanged();
  const auto line = record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0)
    throw DataError(concat(path_.string(), ": cannot be written: ", system_error_text(errno)));
}

}  // namespace dragoman
