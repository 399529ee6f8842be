#include "dragoman/decoding/module_model.h"
#include "dragoman/tensor/worker_pool.h"
#include "dragoman/translate/workers.h"
#include "support/catch.h"
#include "support/skip.h"

#include <ATen/ATen.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>

namespace {

std::atomic<int> processor_questions = 0;

}  // namespace

// LibTorch's MKL asks this for the processor until it has stored an answer. The dynamic linker
// takes the executable's function, which answers late, so that threads side by side would all ask.
extern "C" __attribute__((visibility("default"), used)) int mkl_serv_vml_cpu_detect() {
  ++processor_questions;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  static auto* const next =
      reinterpret_cast<int (*)()>(::dlsym(RTLD_NEXT, "mkl_serv_vml_cpu_detect"));
  return next();
}

namespace dragoman {

namespace {

constexpr std::int64_t threads = 4;

/// How often threads that all start to calculate at the same moment ask for the processor; in a
/// process of its own, since the answer is stored for good.
/// \param run calls a function on `threads` threads
int questions(const std::function<void(const std::function<void(std::int64_t)>&)>& run) {
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::barrier together(threads);
    run([&](std::int64_t) {
      const auto numbers = at::zeros({8}, at::kDouble);
      together.arrive_and_wait();
      numbers.sin();
    });
    ::_exit(processor_questions);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

void expect_one(int questions) {
  if (questions == 0) return test::skip("this LibTorch has no MKL vector mathematics");
  CHECK(questions == 1);
}

}  // namespace

TEST_CASE("training's workers find the processor of vector mathematics known") {
  expect_one(questions([](const auto& task) { WorkerPool(threads).run(task); }));
}

TEST_CASE("translation's workers find the processor of vector mathematics known") {
  expect_one(questions([](const auto& task) {
    ModelOptions options;
    options.d_model = 16;
    options.num_heads = 2;
    const InferenceModels models = {module_model(Transformer(options, VocabularySizes{8, 8}), {})};
    EnsembleWorkers(models, {}, threads).run(threads, [&](const EnsembleWorker&, std::int64_t i) {
      task(i);
    });
  }));
}

}  // namespace dragoman
