#include "dragoman/core/process_usage.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>

#include <cstddef>
#include <ctime>
#include <fstream>
#include <string>

namespace dragoman {

namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// With jemalloc, which a program may bring along, and with the C library.
void release_freed_memory() {
  using Control = int(const char*, void*, std::size_t*, void*, std::size_t);
  static auto* const mallctl = reinterpret_cast<Control*>(::dlsym(RTLD_DEFAULT, "mallctl"));
  if (mallctl != nullptr) mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // of all
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace

std::int64_t peak_memory_mb() {
  // getrusage also counts the peak of the program that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) / 1024;  // "VmHWM: 512 kB"
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

bool restart_peak_memory() {
  release_freed_memory();
  std::ofstream file("/proc/self/clear_refs");
  file << '5' << std::flush;  // proc(5): the peak becomes what is resident
  return file.good();
}

double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

double process_cpu_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace dragoman
