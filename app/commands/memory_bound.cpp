#include "commands/memory_bound.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>

namespace dragoman::app {

namespace {

double memory_of_machine() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// The memory limit of a container; the text "max" is no number.
double memory_of_group() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  double bytes = 0.0;
  return file >> bytes ? bytes : HUGE_VAL;
}

}  // namespace

void expect_memory(std::string_view command, double bytes, std::string_view remedy) {
  constexpr double gib = 1 << 30;
  const double present = std::min(memory_of_machine(), memory_of_group());
  if (bytes <= present) return;
  const auto whole = [](double number) { return static_cast<std::int64_t>(number); };
  throw OptionsError(concat(command, ": needs about ", whole(std::ceil(bytes / gib)),
                            " GiB of memory, but there are only ", whole(present / gib), "; ",
                            remedy));
}

}  // namespace dragoman::app
