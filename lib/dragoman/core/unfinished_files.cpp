#include "dragoman/core/unfinished_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <mutex>
#include <string_view>

namespace dragoman {

namespace {

/// A place for one name, without memory of its own: a signal handler may neither lock nor allocate.
struct Slot {
  enum Use { unused, file, contents };
  std::atomic<Use> use = unused;
  std::array<char, PATH_MAX> name{};
};

std::array<Slot, 32> slots;
std::mutex slots_mutex;  // of those who note and forget

void remove_file(int folder, const char* name) {
  if (::unlinkat(folder, name, 0) != 0) ::unlinkat(folder, name, AT_REMOVEDIR);
}

/// As `std::filesystem` would, which a signal handler may not call.
void remove_contents(int parent, const char* name) {
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 4096> entries;
  for (ssize_t size = 0; (size = ::getdents64(folder, entries.data(), entries.size())) > 0;)
    for (const char* at = entries.data(); at < entries.data() + size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(at);
      at += entry->d_reclen;
      const std::string_view inner = entry->d_name;
      if (inner == "." || inner == "..") continue;
      remove_contents(folder, entry->d_name);
      remove_file(folder, entry->d_name);
    }
  ::close(folder);
}

void remove_and_end(int number) {
  remove_unfinished_files();
  ::raise(number);  // takes its default effect after the handler
}

void note(const std::filesystem::path& file, Slot::Use use) {
  const std::string_view name = file.native();
  const std::lock_guard lock(slots_mutex);
  for (auto& slot : slots) {
    if (slot.use != Slot::unused || name.size() >= slot.name.size()) continue;
    slot.name[name.copy(slot.name.data(), name.size())] = '\0';
    slot.use = use;
    return;
  }
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (const auto& slot : slots)
    if (slot.use == Slot::contents) remove_contents(AT_FDCWD, slot.name.data());
  for (const auto& slot : slots)
    if (slot.use == Slot::file) remove_file(AT_FDCWD, slot.name.data());
}

void remove_unfinished_files_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM}) {
    struct sigaction action{};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

void note_unfinished_file(const std::filesystem::path& file) { note(file, Slot::file); }

void note_unfinished_folder(const std::filesystem::path& folder) { note(folder, Slot::contents); }

void forget_unfinished_file(const std::filesystem::path& file) {
  const std::lock_guard lock(slots_mutex);
  for (auto& slot : slots)
    if (slot.use != Slot::unused && file.native() == slot.name.data()) slot.use = Slot::unused;
}

}  // namespace dragoman
