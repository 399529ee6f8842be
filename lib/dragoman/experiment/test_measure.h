#pragma once

#include "dragoman/experiment/trial_record.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dragoman {

/// Adds a measure of all lines of a test text to `record`, and its values without each group of
/// them (`leave_out_groups`). \param score of the lines with these ascending numbers
void add_test_measure(const std::string& name, std::size_t lines,
                      const std::function<double(const std::vector<std::size_t>&)>& score,
                      TrialRecord& record);

}  // namespace dragoman
