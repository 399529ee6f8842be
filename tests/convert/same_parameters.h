#pragma once

#include "dragoman/run/loaded_run.h"
#include "dragoman/run/parameters.h"
#include "support/catch.h"

namespace test {

/// Checks that two runs have the same parameters, bit for bit.
inline void check_parameters(const dragoman::LoadedRun& found,
                             const dragoman::LoadedRun& expected) {
  const auto before = dragoman::parameters_of(*expected.model),
             after = dragoman::parameters_of(*found.model);
  REQUIRE(before.size() == after.size());
  for (const auto& [name, tensor] : before) {
    CAPTURE(name);
    CHECK(after.at(name).equal(tensor));
  }
}

}  // namespace test
