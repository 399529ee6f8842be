#include "dragoman/translator.h"

#include "library/small_translator.h"
#include "support/catch.h"
#include "support/program.h"
#include "text/text_support.h"

#include <dlfcn.h>

#include <atomic>
#include <clocale>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <string>
#include <thread>
#include <vector>

// A Translator leaves the process that it is part of as it was.
namespace host_process_test {

using dragoman::Translator;
using test::small_translator;
using test::sources;

namespace {

/// LibTorch's number of threads for the calling thread.
int torch_threads() {
  using Ask = int();
  auto* const torch = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(torch != nullptr);
  auto* const ask = reinterpret_cast<Ask*>(::dlsym(torch, "_ZN2at15get_num_threadsEv"));
  REQUIRE(ask != nullptr);
  return ask();
}

std::vector<void (*)(int)> signal_handlers() {
  std::vector<void (*)(int)> handlers;
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGHUP, SIGSEGV, SIGFPE, SIGCHLD}) {
    struct sigaction action{};
    REQUIRE(::sigaction(number, nullptr, &action) == 0);
    handlers.push_back(action.sa_handler);
  }
  return handlers;
}

int torch_threads_of_a_new_thread() {
  int threads = 0;
  std::jthread([&threads] { threads = torch_threads(); }).join();
  return threads;
}

}  // namespace

TEST_CASE("a model of the usual kind does not load LibTorch", "[e2e]") {
  const auto translator = small_translator();
  translator.translate(sources());
  translator.score(sources(), sources());
  std::ifstream maps("/proc/self/maps");
  const std::string mapped(std::istreambuf_iterator<char>(maps), {});
  const bool loaded_before = mapped.find("libdragoman_torch") != std::string::npos;
  if (loaded_before) test::skip("another case of this process has loaded it");
  CHECK(mapped.find("libtorch") == std::string::npos);
}

TEST_CASE("the host process stays as it was", "[e2e]") {
  test::small_run();
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const auto handlers = signal_handlers();
  // Such a translator needs LibTorch.
  const auto translator = small_translator({.set = {"search.cache=false"}, .workers = 2});
  const auto threads = torch_threads(), of_new_threads = torch_threads_of_a_new_thread();
  std::atomic<bool> all_kept{true};
  translator.translate(sources(), {.progress = [&](std::int64_t, std::int64_t) {
                         if (torch_threads_of_a_new_thread() != of_new_threads) all_kept = false;
                       }});
  translator.score(sources(), sources());
  CHECK(all_kept);
  CHECK(torch_threads() == threads);
  CHECK(torch_threads_of_a_new_thread() == of_new_threads);
  CHECK(signal_handlers() == handlers);
  CHECK(std::setlocale(LC_ALL, nullptr) == locale);
  CHECK(std::locale() == std::locale::classic());
}

TEST_CASE("warnings can be taken from stderr, by a sink that logs and ends itself", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  std::filesystem::copy(test::small_run(), run, std::filesystem::copy_options::recursive);
  test::write(run / "best-loss", "step-00000099\n");
  std::vector<std::string> messages;
  dragoman::set_log_sink([&](dragoman::LogLevel level, std::string_view text) {
    CHECK(level == dragoman::LogLevel::warning);
    messages.emplace_back(text);
    if (messages.size() == 1) Translator::load(run);
    dragoman::set_log_sink({});
  });
  Translator::load(run);
  REQUIRE(messages.size() == 2);
  CHECK_THAT(messages.front(), test::contains("names a missing checkpoint"));
}

}  // namespace host_process_test
