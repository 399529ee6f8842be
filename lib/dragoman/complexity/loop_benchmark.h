#pragma once

#include "dragoman/complexity/kernel_benchmark.h"

#include <functional>
#include <vector>

namespace dragoman {

/// CPU time in seconds of one of many calls of `run`, the shortest of several measurements that
/// take about `seconds` together. `run` must use only this thread.
double seconds_of_call(const std::function<void()>& run, double seconds);

/// The loops of translation that are not products: the search's over the logits, norms, attention.
std::vector<LoopSpeed> measure_loops(double seconds);

}  // namespace dragoman
