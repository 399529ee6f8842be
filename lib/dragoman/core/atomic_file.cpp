#include "dragoman/core/atomic_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/output_place.h"
#include "dragoman/core/system_error.h"
#include "dragoman/core/unfinished_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr int most_names = 100;  // of temporary files; more than one is rare
constexpr mode_t permissions = 0777;
constexpr std::size_t longest_name = 255;  // bytes

[[noreturn]] void fail(const fs::path& path, int error_number) {
  throw SystemError(concat(path.string(), ": cannot be written: ", system_error_text(error_number)),
                    error_number);
}

/// What is known of a regular file that will be replaced.
std::optional<struct stat> facts_of(const fs::path& file) {
  struct stat facts{};
  if (::lstat(file.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return facts;
}

/// Gives a new file the owner and the permissions of the one that it will replace.
void hand_on(const struct stat& old, int descriptor, const fs::path& temporary) {
  struct stat made{};
  if (::fstat(descriptor, &made) != 0) fail(temporary, errno);
  // Only root can keep another's file; for others it becomes their own, as by any rename.
  if (made.st_uid != old.st_uid && ::fchown(descriptor, old.st_uid, old.st_gid) == 0)
    made.st_gid = old.st_gid;
  if (made.st_gid != old.st_gid && ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) != 0 &&
      errno != EPERM && errno != EINVAL)  // EINVAL: a user namespace does not know the group
    fail(temporary, errno);
  if ((made.st_mode & permissions) != (old.st_mode & permissions) &&
      ::fchmod(descriptor, old.st_mode & permissions) != 0)
    fail(temporary, errno);
}

/// Creates a file that a signal which ends the program removes. Signals to this thread wait until
/// its name is noted.
int create_noted(const fs::path& file, int flags, mode_t mode) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const int number = ::open(file.c_str(), flags, mode);
  const int error_number = errno;
  if (number >= 0) note_unfinished_file(file);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error_number;
  return number;
}

void discard(const fs::path& temporary) {
  ::unlink(temporary.c_str());
  forget_unfinished_file(temporary);
}

}  // namespace

AtomicFile::Opened AtomicFile::open(const fs::path& path) {
  const auto place = output_place(path);
  if (place.descriptor)
    return {.file = place.file,
            .temporary = {},
            .descriptor = Descriptor::copy_of(*place.descriptor, path)};
  if (!place.in_place) return open_temporary(place.file);
  // Without O_CREAT: a mistyped name below /dev must not become a file.
  const int number = ::open(place.file.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
  if (number < 0) fail(path, errno);
  return {.file = place.file, .temporary = {}, .descriptor = {number, path}};
}

AtomicFile::Opened AtomicFile::open_temporary(const fs::path& file) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const auto old = facts_of(file);
  // Nobody else sees what replaces a private file.
  const mode_t mode = old ? 0600 : 0666;
  for (int attempt = 0; attempt < most_names; ++attempt) {
    const auto ending =
        concat(".tmp-", ::getpid()) + (attempt == 0 ? std::string() : concat('-', attempt));
    const auto name = file.filename().string().substr(0, longest_name - ending.size()) + ending;
    const auto temporary = file.parent_path() / name;
    const int number = create_noted(temporary, flags, mode);
    if (number < 0 && errno == EEXIST) continue;
    if (number < 0) fail(file, errno);
    Opened opened{.file = file, .temporary = temporary, .descriptor = {number, file}};
    try {
      if (old) hand_on(*old, number, temporary);
    } catch (...) {
      discard(temporary);
      throw;
    }
    return opened;
  }
  throw DataError(concat(file.string(), ".tmp-", ::getpid(), ": this and ", most_names - 1,
                         " names like it are taken; remove these files"));
}

AtomicFile::AtomicFile(const fs::path& path) : opened_(open(path)) {}

AtomicFile::~AtomicFile() {
  if (!opened_.temporary.empty()) discard(opened_.temporary);
}

void AtomicFile::append(std::string_view bytes) {
  opened_.descriptor.write(bytes);
  size_ += bytes.size();
}

void AtomicFile::commit() {
  opened_.descriptor.sync();
  opened_.descriptor.close();
  if (opened_.temporary.empty()) return;
  if (std::rename(opened_.temporary.c_str(), opened_.file.c_str()) != 0) fail(opened_.file, errno);
  forget_unfinished_file(opened_.temporary);
  opened_.temporary.clear();
  const auto folder = opened_.file.parent_path();
  sync_directory(folder.empty() ? fs::path(".") : folder);
}

}  // namespace dragoman
