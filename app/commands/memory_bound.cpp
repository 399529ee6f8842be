#include "commands/memory_bound.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/machine.h"

#include <cmath>
#include <cstdint>

namespace dragoman::app {

void expect_memory(std::string_view command, double bytes, std::string_view remedy) {
  constexpr double gib = 1 << 30;
  const auto present = static_cast<double>(machine_memory());
  if (bytes <= present) return;
  const auto whole = [](double number) { return static_cast<std::int64_t>(number); };
  throw OptionsError(concat(command, ": needs about ", whole(std::ceil(bytes / gib)),
                            " GiB of memory, but there are only ", whole(present / gib), "; ",
                            remedy));
}

}  // namespace dragoman::app
