#include "commands/commands.h"
#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"
#include "dragoman/distributed/device_sum.h"
#include "dragoman/distributed/group.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/foreign_errors.h"
#include "dragoman/tensor/mkl_on_amd.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/module_models.h"
#include "dragoman/translate/rerank_language_model.h"
#include "memory.h"
#include "program.h"
#include "rerank_scores.h"
#include "version.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <exception>
#include <string>

// What libdragoman_torch.so exports: the whole program, and models that need LibTorch.
namespace {

using namespace dragoman;

/// Besides those that every program has.
void add_commands(CLI::App& app) {
  app::add_analyze(app);
  app::add_average(app);
  app::add_back_translate(app);
  app::add_bench(app);
  app::add_classify(app);
  app::add_convert(app);
  app::add_distill(app);
  app::add_experiment(app);
  app::add_explain(app);
  app::add_lm(app);
  app::add_prune(app);
  app::add_train(app);
}

/// LibTorch ends the process without a message of ours if one of its threads is refused, or if
/// there are so many that their stacks overflow.
void expect_library_threads() {
  const int threads = at::get_num_threads();
  expect_thread_count("OMP_NUM_THREADS", threads);
  expect_threads(threads - 1);
}

/// Whether the command that was given takes training steps, or measures what they are made of.
bool repeats_steps(const CLI::App& app) {
  const auto given = [&app](const char* command, const char* sub) {
    return app.got_subcommand(command) && app.get_subcommand(command)->got_subcommand(sub);
  };
  return app.got_subcommand("train") || app.got_subcommand("distill") ||
         app.got_subcommand("back-translate") || app.got_subcommand("experiment") ||
         (app.got_subcommand("bench") && !given("bench", "translate")) ||
         given("classify", "train") || given("lm", "train");
}

/// Common setup of all commands.
void prepare(const CLI::App& app) {
  expect_library_threads();
  app::keep_large_blocks();
  if (repeats_steps(app)) app::keep_freed_memory();
}

app::TorchFacts torch_facts() {
  return {.version = TORCH_VERSION,
          .devices = device_descriptions(),
          .mkl_fast_path = mkl_fast_path_chosen(),
          .mpi = mpi_description(),
          .nccl = nccl_description()};
}

/// What `work`, which the program without LibTorch has asked for, throws; null if it succeeds.
template <typename Work>
std::exception_ptr failure_of(const LogSink& log, LogLevel level, const Work& work) {
  try {
    set_log_level(level);
    set_log_sink(log);
    work();
  } catch (...) {
    try {
      rethrow_torch_as_error();
    } catch (...) {
      return std::current_exception();
    }
  }
  return {};
}

}  // namespace

extern "C" int dragoman_torch_program(int argc, char** argv);

int dragoman_torch_program(int argc, char** argv) {
  use_for_other_models(module_model_of_run);
  use_for_language_models(app::scores_of_language_model);
  return app::run_program(argc, argv,
                          {.add_commands = add_commands,
                           .version_text = [] { return app::version_text(torch_facts()); },
                           .prepare = prepare,
                           .rethrow_as_error = rethrow_torch_as_error});
}

extern "C" TorchModelFunction dragoman_torch_model;

void dragoman_torch_model(const RunFiles& run, const SearchOptions& search,
                          const std::string& device, const LogSink& log, LogLevel level,
                          std::shared_ptr<const InferenceModel>& model,
                          std::exception_ptr& failure) {
  failure = failure_of(log, level, [&] { model = module_model_of_run(run, search, device); });
}

extern "C" TorchLanguageModelFunction dragoman_torch_language_model;

void dragoman_torch_language_model(const std::filesystem::path& run_dir, const LogSink& log,
                                   LogLevel level, LanguageModelScores& scores,
                                   std::exception_ptr& failure) {
  failure = failure_of(log, level, [&] { scores = app::scores_of_language_model(run_dir); });
}
