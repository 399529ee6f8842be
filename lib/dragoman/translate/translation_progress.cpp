#include "dragoman/translate/translation_progress.h"

#include "dragoman/core/log.h"
#include "dragoman/text/text_file.h"

#include <memory>
#include <utility>

namespace dragoman {

namespace {

bool is_wanted() { return log_level() >= LogLevel::info; }

}  // namespace

TranslationProgress::TranslationProgress(const std::string& name) {
  if (is_wanted() && is_text_file(name))
    progress_.emplace(name == "-" ? "translating" : "translating " + name, "lines",
                      count_lines(name).value_or(0));
}

TranslationProgress::TranslationProgress(const std::string& place, std::int64_t lines) {
  if (is_wanted()) progress_.emplace("translating " + place, "lines", lines);
}

std::function<void(std::int64_t, std::int64_t)> TranslationProgress::of_lines(std::int64_t lines) {
  if (!progress_) return {};
  return [this, lines, before = std::make_shared<std::int64_t>(0)](std::int64_t parts_done,
                                                                   std::int64_t parts) {
    const auto done = lines * parts_done / parts;
    const std::lock_guard lock(mutex_);
    done_ += done - std::exchange(*before, done);
    progress_->show(done_);
  };
}

}  // namespace dragoman
