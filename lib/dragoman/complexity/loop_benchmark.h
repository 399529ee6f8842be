#pragma once

#include "dragoman/complexity/kernel_benchmark.h"

#include <functional>
#include <string>
#include <vector>

namespace dragoman {

/// CPU time in seconds of one of many calls of `run`, the shortest of several measurements that
/// take about `seconds` together. `run` must use only this thread.
double seconds_of_call(const std::function<void()>& run, double seconds);

/// One of several ways to compute the same.
struct Contestant {
  std::string name;
  std::function<void()> run;
  double seconds = 0.0;  ///< CPU time of one call, set by `measure_by_turns`
};

/// Measures each for about `seconds`, by turns, so that what else the machine does meets all of
/// them.
void measure_by_turns(std::vector<Contestant>& contestants, double seconds);

/// The loops that are not products, by each level of instructions that this processor has, each
/// beside LibTorch's operator held to the same level. Each level is measured in a process of its
/// own, because both choose their instructions once per process: to be called before other threads
/// are started.
std::vector<LoopSpeed> measure_loops(double seconds);

}  // namespace dragoman
