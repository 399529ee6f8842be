#include "dragoman/core/file.h"

#include "dragoman/core/atomic_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/system_error.h"

#include <fcntl.h>

#include <system_error>

namespace dragoman {

namespace {

void write_and_sync(const std::filesystem::path& path, std::span<const std::string_view> parts,
                    int flags) {
  Descriptor file(path, flags);
  for (const auto part : parts) file.write(part);
  file.sync();
  file.close();
}

}  // namespace

std::string system_error_text(int error_number) {
  return std::system_category().message(error_number);
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;  // errors are reported when it is opened
  if (std::filesystem::is_directory(path, ignored))
    throw DataError(concat(path.string(), ": is a folder; name a file"));
  return Descriptor(path, O_RDONLY).read();
}

void write_new_file(const std::filesystem::path& path, std::string_view content) {
  write_new_file(path, std::span(&content, 1));
}

void write_new_file(const std::filesystem::path& path, std::span<const std::string_view> parts) {
  write_and_sync(path, parts, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
}

bool make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  if (!error) return is_new;
  std::error_code ignored;
  for (auto at = folder; !at.empty() && at != at.root_path(); at = at.parent_path()) {
    if (std::filesystem::is_symlink(at, ignored) && !std::filesystem::exists(at, ignored) &&
        ignored != std::errc::too_many_symbolic_link_levels)
      throw DataError(concat(at.string(), ": is a symbolic link to ",
                             std::filesystem::read_symlink(at, ignored).string(),
                             ", which does not exist; make that folder, or remove the link"));
    if (std::filesystem::exists(at, ignored) && !std::filesystem::is_directory(at, ignored))
      throw DataError(concat(at.string(), ": is not a folder; choose another"));
  }
  throw DataError(concat(folder.string(), ": cannot be created: ", error.message()));
}

void expect_empty_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return;
  const bool is_empty =
      std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error);
  if (error) throw DataError(concat(folder.string(), ": cannot be read: ", error.message()));
  if (!is_empty)
    throw DataError(concat(folder.string(), ": exists and is not an empty folder; name a new one"));
}

void sync_directory(const std::filesystem::path& directory) {
  try {
    Descriptor(directory, O_RDONLY | O_DIRECTORY).sync();
  } catch (const SystemError& error) {
    const int reason = error.error_number();
    if (reason != EACCES && reason != EINVAL && reason != ENOTSUP) throw;
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.append(content);
  file.commit();
}

}  // namespace dragoman
