#include "dragoman/experiment/test_measure.h"

#include "dragoman/experiment/statistics.h"

#include <numeric>

namespace dragoman {

void add_test_measure(const std::string& name, std::size_t lines,
                      const std::function<double(const std::vector<std::size_t>&)>& score,
                      TrialRecord& record) {
  std::vector<std::size_t> all(lines);
  std::iota(all.begin(), all.end(), 0U);
  record.values[name] = score(all);
  record.jackknife[name] = leave_out_groups(lines, score);
}

}  // namespace dragoman
