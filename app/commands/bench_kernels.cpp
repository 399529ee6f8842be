#include "commands/bench_output.h"
#include "commands/commands.h"

#include "dragoman/complexity/kernel_benchmark.h"

#include <memory>

namespace dragoman::app {

namespace {

struct BenchKernels {
  KernelOptions options;
  bool json = false;

  void run() const { print_result(benchmark_kernels(options), json); }
};

}  // namespace

void add_bench_kernels(CLI::App& bench) {
  auto command = std::make_shared<BenchKernels>();
  auto* sub = bench.add_subcommand("kernels",
                                   "Packed matrix products and the other loops of translation and "
                                   "training by instruction set, which DRAGOMAN_CPU limits");
  add_seconds(*sub, command->options.seconds,
              "Measuring time of one kernel, instruction set and shape");
  sub->add_flag("--json", command->json, "One JSON object instead of a table");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
