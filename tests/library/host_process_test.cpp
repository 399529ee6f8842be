#include "dragoman/translator.h"

#include "library/small_translator.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/skip.h"
#include "text/text_support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
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

constexpr const char* late_run = "DRAGOMAN_TEST_LATE_RUN";
constexpr int late_success = 17;

/// Translates after all that the library has made during `main` is destroyed, if a run is named.
struct LateCaller {
  ~LateCaller() {
    const char* const run = std::getenv(late_run);
    if (run == nullptr) return;
    try {
      static_cast<void>(Translator::load(run).translate(sources()));
      ::_exit(late_success);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(late_success + 1);
    }
  }
} late_caller;

int torch_threads_of_a_new_thread() {
  int threads = 0;
  std::jthread([&threads] { threads = torch_threads(); }).join();
  return threads;
}

}  // namespace

TEST_CASE("a model of the usual kind does not load LibTorch", "[e2e]") {
  const auto is_loaded = [](const std::string& library) {
    return test::content_of("/proc/self/maps").find(library) != std::string::npos;
  };
  if (is_loaded("libdragoman_torch"))
    return test::skip("another case of this process has loaded it");
  const auto translator = small_translator();
  static_cast<void>(translator.translate(sources()));
  static_cast<void>(translator.score(sources(), sources()));
  CHECK_FALSE(is_loaded("libtorch"));
  CHECK_FALSE(is_loaded("libdragoman_torch"));
}

TEST_CASE("a run is loaded by a process that loads it again at its end", "[.]") {
  const char* const run = std::getenv(late_run);
  if (run != nullptr) CHECK(Translator::load(run).translate(sources()).size() == sources().size());
}

TEST_CASE("exit handlers may load a run and translate", "[e2e]") {
  const auto result =
      test::run({"/proc/self/exe", "a run is loaded by a process that loads it again at its end"},
                {.variables = {{late_run, test::small_run().string()}}, .timeout_seconds = 60});
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == late_success);
}

TEST_CASE("a thread with a small stack may load a run and translate", "[e2e]") {
  test::small_run();
  pthread_attr_t small;
  REQUIRE(::pthread_attr_init(&small) == 0);
  REQUIRE(::pthread_attr_setstacksize(&small, std::size_t{64} << 10) == 0);
  std::vector<dragoman::Translation> found;
  pthread_t thread{};
  REQUIRE(::pthread_create(
              &thread, &small,
              [](void* place) -> void* {
                *static_cast<std::vector<dragoman::Translation>*>(place) =
                    small_translator().translate(sources());
                return nullptr;
              },
              &found) == 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&small);
  CHECK(found.size() == sources().size());
}

TEST_CASE("the host process stays as it was", "[e2e]") {
  test::small_run();
  const std::string locale = std::setlocale(LC_ALL, nullptr);
  const auto handlers = signal_handlers();
  // Such a translator needs LibTorch.
  const auto translator = small_translator({.set = {"search.cache=false"}, .workers = 2});
  const auto threads = torch_threads(), of_new_threads = torch_threads_of_a_new_thread();
  std::atomic<bool> all_kept{true};
  const auto progress = [&](std::int64_t, std::int64_t) {
    if (torch_threads_of_a_new_thread() != of_new_threads) all_kept = false;
  };
  static_cast<void>(translator.translate(sources(), {.progress = progress}));
  static_cast<void>(translator.score(sources(), sources()));
  CHECK(all_kept);
  CHECK(torch_threads() == threads);
  CHECK(torch_threads_of_a_new_thread() == of_new_threads);
  CHECK(signal_handlers() == handlers);
  CHECK(std::setlocale(LC_ALL, nullptr) == locale);
  CHECK(std::locale() == std::locale::classic());
}

/// A locale whose numbers have a decimal comma; empty if the system has none.
std::string comma_locale() {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "es_ES.UTF-8"})
    if (std::setlocale(LC_ALL, name) != nullptr) {
      std::setlocale(LC_ALL, before.c_str());
      return name;
    }
  return "";
}

TEST_CASE("a decimal comma in the host's locale changes nothing", "[e2e]") {
  const test::TemporaryDirectory folder;
  auto name = comma_locale();
  if (name.empty()) {  // made from the sources that come with the C library, where they are there
    const auto made =
        test::run({"localedef", "-i", "de_DE", "-f", "UTF-8", (folder / "de_DE.UTF-8").string()});
    ::setenv("LOCPATH", folder.path().c_str(), 1);
    name = comma_locale();
    ::unsetenv("LOCPATH");
    if (name.empty()) return test::skip("no locale with a decimal comma, and localedef makes none");
    ::setenv("LOCPATH", folder.path().c_str(), 1);
  }
  const auto expected = small_translator().translate(sources());
  REQUIRE(std::setlocale(LC_ALL, name.c_str()) != nullptr);
  const auto found = small_translator().translate(sources());
  std::setlocale(LC_ALL, "C");
  ::unsetenv("LOCPATH");
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].text() == expected[i].text());
    CHECK(found[i].n_best.front().log_prob == expected[i].n_best.front().log_prob);
  }
}

TEST_CASE("digits that the host's C++ locale groups stay together", "[e2e]") {
  struct Grouping : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  const auto expected = small_translator().description();
  const auto before = std::locale::global(std::locale(std::locale(), new Grouping));
  const auto found = small_translator().description();
  std::locale::global(before);
  CHECK(found == expected);
}

TEST_CASE("signals of the process are delivered to the host's threads alone", "[e2e]") {
  static std::atomic<std::thread::id> handled_by;
  struct sigaction action{}, before{};
  action.sa_handler = [](int) { handled_by = std::this_thread::get_id(); };
  const auto translator = small_translator({.workers = 2});
  static_cast<void>(translator.translate(sources()));  // its threads wait from now on
  REQUIRE(::sigaction(SIGUSR1, &action, &before) == 0);
  sigset_t usr1;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  ::kill(::getpid(), SIGUSR1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(handled_by.load() == std::thread::id());
  ::pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
  CHECK(handled_by.load() == std::this_thread::get_id());
  ::sigaction(SIGUSR1, &before, nullptr);
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
    if (messages.size() == 1) static_cast<void>(Translator::load(run));
    dragoman::set_log_sink({});
  });
  static_cast<void>(Translator::load(run));
  REQUIRE(messages.size() == 2);
  CHECK_THAT(messages.front(), test::contains("names a missing checkpoint"));
}

}  // namespace host_process_test
