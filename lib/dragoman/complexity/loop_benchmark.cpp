#include "dragoman/complexity/loop_benchmark.h"

#include "dragoman/complexity/child_measurement.h"
#include "dragoman/complexity/loop_tasks.h"
#include "dragoman/complexity/pass_cost.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/simd.h"
#include "dragoman/tensor/thread_count.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

namespace dragoman {

namespace {

/// Holds Dragoman to `highest` (empty = what it may use), and LibTorch to the same instructions.
void limit_instructions(const std::string& highest) {
  if (!highest.empty()) ::setenv("DRAGOMAN_CPU", highest.c_str(), 1);
#if defined(__x86_64__)
  const auto level = simd_level();
  if (level == SimdLevel::x86_64_v4) return;
  const bool avx2 = level == SimdLevel::x86_64_v3;
  ::setenv("ATEN_CPU_CAPABILITY", avx2 ? "avx2" : "default", 0);
  ::setenv("ONEDNN_MAX_CPU_ISA", avx2 ? "AVX2" : "SSE41", 0);
#endif
}

LoopSpeed measure_loop(const LoopTask& task, double seconds) {
  const auto half = static_cast<std::size_t>(task.bytes / 2.0);
  const std::vector<char> from(half, 1);
  std::vector<char> to(half);
  std::vector<Contestant> contestants = {
      {.name = "ours", .run = task.run},
      {.name = "copy", .run = [&] { std::memcpy(to.data(), from.data(), half); }}};
  if (task.torch) contestants.push_back({.name = "LibTorch", .run = task.torch});
  measure_by_turns(contestants, seconds);
  const double own = contestants[0].seconds;
  return {.kernel = task.kernel,
          .instructions = simd_level_name(),
          .seconds = own,
          .gigabytes_per_second = task.bytes / own / 1e9,
          .copy_share = contestants[1].seconds / own,
          .torch_seconds = task.torch ? std::optional(contestants.back().seconds) : std::nullopt};
}

/// In a process of its own. \return the level and its loops; none unless it is below `levels`
nlohmann::json measure_level(const std::string& highest, int levels, double seconds) {
  limit_instructions(highest);
  const auto level = static_cast<int>(simd_level());
  auto loops = nlohmann::json::array();
  if (level < levels) {
    const ThreadCount one_thread(1);
    const at::InferenceMode without_graph;
    Progress progress(concat("measuring loops with ", simd_level_name()), "loops", 0);
    for (const auto& tasks : {row_tasks(), attention_tasks(), training_tasks()})
      for (const auto& task : tasks) {
        loops.push_back(json_of(measure_loop(task, seconds)));
        progress.show(std::ssize(loops));
      }
  }
  return {{"level", level}, {"loops", loops}};
}

LoopSpeed speed_of(const nlohmann::json& record) {
  const auto& torch = record["torch_seconds"];
  return {.kernel = record["kernel"].get<std::string>(),
          .instructions = record["instructions"].get<std::string>(),
          .seconds = record["seconds"].get<double>(),
          .gigabytes_per_second = record["gigabytes_per_second"].get<double>(),
          .copy_share = record["copy_share"].get<double>(),
          .torch_seconds = torch.is_null() ? std::nullopt : std::optional(torch.get<double>())};
}

}  // namespace

double seconds_of_call(const std::function<void()>& run, double seconds) {
  constexpr double measurable = 1e-4;  // many ticks of the clock
  const double once = fastest_run(run, 0.0);
  const int calls = once < measurable ? static_cast<int>(measurable / (once + 1e-8)) + 1 : 1;
  const auto all = [&run, calls] {
    for (int call = 0; call < calls; ++call) run();
  };
  return fastest_run(all, seconds) / calls;
}

void measure_by_turns(std::vector<Contestant>& contestants, double seconds) {
  constexpr int rounds = 4;
  for (auto& contestant : contestants) contestant.seconds = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round)
    for (auto& contestant : contestants)
      contestant.seconds =
          std::min(contestant.seconds, seconds_of_call(contestant.run, seconds / rounds));
}

std::vector<LoopSpeed> measure_loops(double seconds) {
  std::vector<LoopSpeed> speeds;
  int levels = std::numeric_limits<int>::max();
  for (const char* highest : {"", "avx2", "plain"}) {
    const auto measured = measure_in_child([&] { return measure_level(highest, levels, seconds); });
    levels = std::min(levels, measured["level"].get<int>());
    for (const auto& loop : measured["loops"]) speeds.push_back(speed_of(loop));
  }
  return speeds;
}

}  // namespace dragoman
