#include "dragoman/storage/leftovers.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <regex>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

void remove_where(const fs::path& folder,
                  const std::function<bool(const std::string&)>& is_leftover) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (!is_leftover(at->path().filename().string())) continue;
    remove_leftover(at->path());
  }
  if (error && error.value() != ENOENT)
    throw DataError(concat(folder.string(), ": cannot be listed: ", error.message()));
}

}  // namespace

void remove_leftover(const fs::path& path) {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed)
    log_warning(concat(path.string(), ": cannot be removed: ", failed.message(),
                       "; the next training removes it, or remove it by hand"));
}

void remove_leftovers_in(const fs::path& folder,
                         const std::function<bool(const std::string&)>& is_own) {
  static const std::regex leftover(R"((.*)\.tmp-(\d+(-\d+)?|delete))");
  remove_where(folder, [&is_own](const std::string& name) {
    std::smatch parts;
    return std::regex_match(name, parts, leftover) && (!is_own || is_own(parts[1]));
  });
}

void remove_leftovers_of(const fs::path& file) {
  const auto own = file.filename().string();
  remove_where(file.parent_path(), [&own](const std::string& name) {
    return name.starts_with(own + ".tmp-") || name == own + ".new";
  });
}

}  // namespace dragoman
