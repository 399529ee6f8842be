#include "support/catch.h"
#include "support/program.h"
#include "support/skip.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <future>
#include <sstream>
#include <thread>

namespace distributed_test {

namespace {

namespace fs = std::filesystem;

/// Whether several ranks can be started here; says so where they cannot.
bool have_ranks() {
  if (test::run({"sh", "-c", "command -v mpirun"}).exit_code != 0) {
    test::skip("mpirun is missing; install openmpi-bin");
    return false;
  }
  if (test::dragoman({"--version"}).out.find("MPI: not in this build") != std::string::npos) {
    test::skip("this build has no MPI; configure it with -DDRAGOMAN_WITH_MPI=ON");
    return false;
  }
  return true;
}

/// Text, and runs on it by several ranks of one worker each.
struct Ranks {
  test::TemporaryDirectory folder;
  Ranks() { test::write_letters(folder / "a.src", folder / "a.tgt"); }

  std::vector<std::string> arguments(const std::string& run,
                                     const std::vector<std::string>& settings) const {
    return test::with(
        test::tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(),
                            (folder / run).string()),
        test::with({"train.workers=1", "train.batch_tokens=100", "data.max_length=100"}, settings));
  }

  test::ProcessResult train(int ranks, const std::string& run,
                            const std::vector<std::string>& settings) const {
    const auto command =
        test::with({"mpirun", "-n", std::to_string(ranks), "--bind-to", "none", test::program()},
                   arguments(run, settings));
    return launched(command);
  }

  /// As root, and with more ranks than cores.
  static test::ProcessResult launched(const std::vector<std::string>& command) {
    return test::run(command, {.text = "",
                               .directory = {},
                               .variables = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                             {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                             {"OMPI_MCA_rmaps_base_oversubscribe", "1"}}});
  }

  /// Sends a signal to one rank of two when the log has so many lines; how all ended.
  test::ProcessResult disturb(const std::string& run, const std::vector<std::string>& settings,
                              int rank, int signal, std::int64_t lines) const {
    auto end = std::async(std::launch::async, [&] { return train(2, run, settings); });
    const auto log = folder / run / "train.jsonl";
    const auto ended = [&] {
      return end.wait_for(std::chrono::milliseconds(2)) == std::future_status::ready;
    };
    while (!ended()) {
      const auto content = test::content_of(log);
      if (std::count(content.begin(), content.end(), '\n') >= lines) break;
    }
    if (const auto process = process_of(rank, run); process > 0) ::kill(process, signal);
    return end.get();
  }

  static constexpr int launcher = -1;  ///< mpirun, in place of a rank

  /// The process that is this rank of a run; 0 if there is none.
  pid_t process_of(int rank, const std::string& run) const {
    const auto place = (folder / run).string();
    const auto variable = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const auto name = entry.path().filename().string();
      if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
        continue;
      const auto command = test::content_of(entry.path() / "cmdline");
      if (command.find(place + '\0') == std::string::npos) continue;
      const auto environment = '\0' + test::content_of(entry.path() / "environ");
      if (rank == launcher ? command.starts_with("mpirun")
                           : environment.find('\0' + variable + '\0') != std::string::npos)
        return std::stoi(name);
    }
    return 0;
  }

  /// A file of the newest checkpoint.
  std::string saved(const std::string& run, const char* file) const {
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(folder / run / "checkpoints"))
      if (entry.path().extension().empty() && entry.path() > newest) newest = entry.path();
    return test::content_of(newest / file);
  }

  /// (step, loss) of the log.
  std::vector<std::pair<std::int64_t, std::string>> losses(const std::string& run) const {
    std::istringstream lines(test::content_of(folder / run / "train.jsonl"));
    std::vector<std::pair<std::int64_t, std::string>> found;
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line);
      if (record.at("event") == "train")
        found.emplace_back(record.at("step"), record.at("loss").dump());
    }
    return found;
  }

  void check_same(const std::string& one, const std::string& other) const {
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      CAPTURE(file);
      CHECK(saved(one, file) == saved(other, file));
    }
    CHECK(losses(one) == losses(other));
    CHECK_FALSE(losses(one).empty());
  }
};

}  // namespace

TEST_CASE("two ranks write the bytes of one process with two workers and the same global batch",
          "[e2e]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  const std::vector<std::string> settings{"train.max_steps=25",
                                          "train.clip_norm=0.5",
                                          "train.ema_decay=0.9",
                                          "train.accumulate=2",
                                          "train.validate_every=10",
                                          "data.valid_source=" + (ranks.folder / "a.src").string(),
                                          "data.valid_target=" + (ranks.folder / "a.tgt").string()};
  const auto two = ranks.train(2, "two", settings);
  CAPTURE(two.err);
  REQUIRE(two.exit_code == 0);
  CHECK(two.err.find("2 workers in 2 processes") != std::string::npos);
  const auto one = test::dragoman(
      ranks.arguments("one", test::with(settings, {"train.workers=2", "train.batch_tokens=200"})));
  CAPTURE(one.err);
  REQUIRE(one.exit_code == 0);
  ranks.check_same("two", "one");
}

TEST_CASE("a training of ranks of which one is killed ends, and resumes to the same bytes",
          "[e2e][slow]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  const std::vector<std::string> settings{"train.max_steps=120", "train.checkpoint_every=7"};
  REQUIRE(ranks.train(2, "whole", settings).exit_code == 0);
  for (const int rank : {1, 0}) {
    const auto killed = ranks.disturb("parts", settings, rank, SIGKILL, rank == 1 ? 20 : 70);
    CAPTURE(rank, killed.err);
    CHECK(killed.exit_code != 0);
    CHECK(killed.seconds < 60.0);
    CHECK(killed.err.find("rank " + std::to_string(rank)) != std::string::npos);
  }
  const auto last = ranks.train(2, "parts", settings);
  CAPTURE(last.err);
  REQUIRE(last.exit_code == 0);
  ranks.check_same("whole", "parts");
}

TEST_CASE("a rank that is stopped ends all, named, and the run resumes to the same bytes",
          "[e2e][slow]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  const std::vector<std::string> settings{"train.max_steps=120", "train.checkpoint_every=7"};
  REQUIRE(ranks.train(2, "whole", settings).exit_code == 0);
  for (const int rank : {1, 0}) {
    const auto stopped =
        ranks.disturb("parts", test::with(settings, {"--distributed-timeout", "4"}), rank, SIGSTOP,
                      rank == 1 ? 20 : 70);
    CAPTURE(rank, stopped.err);
    CHECK(stopped.exit_code != 0);
    CHECK(stopped.seconds < 60.0);
    CHECK(stopped.err.find("rank " + std::to_string(rank) + " (") != std::string::npos);
    CHECK(stopped.err.find("sent no heartbeat for 4 s") != std::string::npos);
  }
  REQUIRE(ranks.train(2, "parts", settings).exit_code == 0);
  ranks.check_same("whole", "parts");
}

TEST_CASE("SIGTERM to one rank, or SIGUSR1 to mpirun, stops all after saving", "[e2e]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  for (const auto& [rank, signal] : {std::pair(1, SIGTERM), std::pair(Ranks::launcher, SIGUSR1)}) {
    const auto run = "run" + std::to_string(signal);
    const auto end = ranks.disturb(
        run, {"train.max_steps=1000000", "train.checkpoint_every=1000000"}, rank, signal, 5);
    CAPTURE(rank, end.err);
    CHECK(end.exit_code == 128 + signal);
    CHECK_FALSE(fs::exists(ranks.folder / run / "checkpoints/step-00000001"));
    CHECK(nlohmann::json::parse(ranks.saved(run, "state.json")).at("step").get<int>() > 1);
  }
}

TEST_CASE("another number of ranks resumes and says that the numbers change", "[e2e]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  REQUIRE(ranks.train(2, "run", {"train.max_steps=9"}).exit_code == 0);
  const auto three = ranks.train(3, "run", {"train.max_steps=12"});
  CAPTURE(three.err);
  CHECK(three.exit_code == 0);
  CHECK(
      three.err.find(
          "had 2 processes and resumes with 3: an update now has the batches of 3 instead of 2") !=
      std::string::npos);
  CHECK(three.err.find("to train longer: mpirun -n 3 ") != std::string::npos);
  const auto one = test::dragoman(ranks.arguments("run", {"train.max_steps=15"}));
  CHECK(one.exit_code == 0);
  CHECK(one.err.find("had 3 processes and resumes with 1") != std::string::npos);
}

TEST_CASE("ranks that differ are told in what", "[e2e]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  const auto different = [&](const char* setting) {
    auto command = test::with({"mpirun", "-n", "1", test::program()}, ranks.arguments("run", {}));
    command.insert(command.end(), {":", "-n", "1", test::program()});
    return Ranks::launched(test::with(command, ranks.arguments("run", {setting})));
  };
  const auto configuration = different("train.log_every=7");
  CAPTURE(configuration.err);
  CHECK(configuration.exit_code == 1);
  CHECK_THAT(configuration.err, test::contains("the configuration of rank 1 differs from that of "
                                               "rank 0 in train.log_every; give"));
  CHECK_FALSE(fs::exists(ranks.folder / "run/checkpoints/step-00000001"));
}

TEST_CASE("an error of rank 0 ends all ranks with its exit code", "[e2e]") {
  if (!have_ranks()) return;
  const Ranks ranks;
  REQUIRE(ranks.train(2, "run", {"train.max_steps=2"}).exit_code == 0);
  const auto other = ranks.train(2, "run", {"train.max_steps=4", "model.d_ff=48"});
  CAPTURE(other.err);
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("model.d_ff") != std::string::npos);
  CHECK(other.seconds < 20.0);
}

TEST_CASE("what prints one document refuses several processes", "[e2e]") {
  const Ranks ranks;
  const std::map<std::string, std::string> launched{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}};
  for (const std::string option : {"--check", "--dump-config"}) {
    const auto refused = test::dragoman(test::with(ranks.arguments("run", {}), {option}),
                                        {.text = "", .directory = {}, .variables = launched});
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("train " + option + ": works in one process") != std::string::npos);
    CHECK(refused.out.empty());
  }
}

TEST_CASE("one of several processes that find no group refuses to train alone", "[e2e]") {
  const Ranks ranks;
  const std::map<std::string, std::string> launched{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}};
  const auto refused = test::dragoman(ranks.arguments("run", {}),
                                      {.text = "", .directory = {}, .variables = launched});
  CAPTURE(refused.err);
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--distributed off") != std::string::npos);
  CHECK_FALSE(fs::exists(ranks.folder / "run"));
  const auto alone =
      test::dragoman(test::with(ranks.arguments("run", {}), {"--distributed", "off"}),
                     {.text = "", .directory = {}, .variables = launched});
  CAPTURE(alone.err);
  CHECK(alone.exit_code == 0);
}

}  // namespace distributed_test
