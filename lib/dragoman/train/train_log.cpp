#include "dragoman/train/train_log.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <cerrno>
#include <sstream>

namespace dragoman {

namespace {

/// The lines whose step is at most `step`; a last line that a crash cut off is dropped as well.
std::string records_up_to(const std::string& text, std::int64_t step) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object() && record.value("step", std::int64_t{0}) <= step) kept += line + '\n';
  }
  return kept;
}

}  // namespace

TrainLog::TrainLog(const std::filesystem::path& run_dir, std::int64_t step)
    : file_(nullptr, &std::fclose), place_(run_dir), path_(run_dir / "train.jsonl") {
  if (std::filesystem::exists(path_)) {
    const auto text = read_file(path_);
    const auto kept = records_up_to(text, step);
    if (kept != text) write_file_atomically(path_, kept);
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
