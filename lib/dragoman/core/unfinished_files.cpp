#include "dragoman/core/unfinished_files.h"

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
  std::atomic<bool> used = false;
  std::array<char, PATH_MAX> name{};
};

std::array<Slot, 32> slots;
std::mutex slots_mutex;  // of those who note and forget

void remove_and_end(int number) {
  for (const auto& slot : slots)
    if (slot.used) ::unlink(slot.name.data());
  ::raise(number);  // takes its default effect after the handler
}

}  // namespace

void remove_unfinished_files_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

void note_unfinished_file(const std::filesystem::path& file) {
  const std::string_view name = file.native();
  const std::lock_guard lock(slots_mutex);
  for (auto& slot : slots) {
    if (slot.used || name.size() >= slot.name.size()) continue;
    slot.name[name.copy(slot.name.data(), name.size())] = '\0';
    slot.used = true;
    return;
  }
}

void forget_unfinished_file(const std::filesystem::path& file) {
  const std::lock_guard lock(slots_mutex);
  for (auto& slot : slots)
    if (slot.used && file.native() == slot.name.data()) slot.used = false;
}

}  // namespace dragoman
