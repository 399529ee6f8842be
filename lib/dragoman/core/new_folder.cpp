#include "dragoman/core/new_folder.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/unfinished_files.h"

#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// Without a separator at the end, after which there is an empty name.
fs::path named(fs::path folder) {
  return folder.has_filename() || !folder.has_relative_path() ? folder : folder.parent_path();
}

}  // namespace

std::vector<fs::path> missing_folders(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (auto at = named(folder); !at.empty() && !fs::exists(fs::symlink_status(at, ignored));
       at = at.parent_path())
    missing.push_back(at);
  return missing;
}

NewFolder::NewFolder(fs::path folder) : folder_(named(std::move(folder))) {
  expect_empty_folder(folder_);
  made_ = missing_folders(folder_);
  noted_ = fs::weakly_canonical(folder_);  // a signal's handler follows no links
  note_unfinished_folder(noted_);
  for (const auto& made : made_) note_unfinished_file(made);
  try {
    make_folder(folder_);
  } catch (...) {
    remove_made();
    throw;
  }
}

void NewFolder::keep() {
  kept_ = true;
  forget();
}

void NewFolder::forget() const {
  forget_unfinished_file(noted_);
  for (const auto& folder : made_) forget_unfinished_file(folder);
}

NewFolder::~NewFolder() {
  if (kept_) return;
  std::error_code ignored;
  for (fs::directory_iterator at(folder_, ignored), end; !ignored && at != end;
       at.increment(ignored))
    fs::remove_all(at->path(), ignored);
  remove_made();
}

void NewFolder::remove_made() const {
  std::error_code ignored;
  for (const auto& folder : made_) fs::remove(folder, ignored);
  forget();
}

}  // namespace dragoman
