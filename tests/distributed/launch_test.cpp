#include "dragoman/distributed/launch.h"

#include "support/catch.h"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace dragoman::launch_test {

namespace {

using Variables = std::map<std::string, std::string>;

/// Sets environment variables while it exists; those of all other launchers are unset.
class LaunchEnvironment {
 public:
  explicit LaunchEnvironment(const Variables& variables) {
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID",
          "SLURM_STEP_NUM_TASKS", "SLURM_MPI_TYPE", "PMIX_RANK"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
      names_.emplace_back(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~LaunchEnvironment() {
    for (const auto& name : names_) ::unsetenv(name.c_str());
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  LaunchEnvironment(const LaunchEnvironment&) = delete;
  LaunchEnvironment& operator=(const LaunchEnvironment&) = delete;

 private:
  Variables before_;
  std::vector<std::string> names_;
};

}  // namespace

TEST_CASE("a process started on its own has no launch", "[unit]") {
  const LaunchEnvironment environment(Variables{});
  CHECK_FALSE(find_launch());
}

TEST_CASE("the variables of mpirun, mpiexec and srun give rank and size", "[unit]") {
  const Variables launches[] = {{{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
                                {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}},
                                {{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}}};
  for (const auto& variables : launches) {
    const LaunchEnvironment environment(variables);
    const auto launch = find_launch();
    REQUIRE(launch);
    CHECK(launch->rank == 2);
    CHECK(launch->size == 4);
  }
}

TEST_CASE("a batch script of Slurm is not one of its tasks", "[unit]") {
  const LaunchEnvironment environment(Variables{{"SLURM_PROCID", "0"}});
  CHECK_FALSE(find_launch());
}

TEST_CASE("mpirun inside a Slurm step counts, not the step", "[unit]") {
  const LaunchEnvironment environment(Variables{{"SLURM_PROCID", "0"},
                                                {"SLURM_STEP_NUM_TASKS", "1"},
                                                {"OMPI_COMM_WORLD_RANK", "1"},
                                                {"OMPI_COMM_WORLD_SIZE", "3"}});
  const auto launch = find_launch();
  REQUIRE(launch);
  CHECK(launch->size == 3);
}

TEST_CASE("the tasks of srun are joined if it was given a kind of MPI", "[unit]") {
  const auto joined = [](Variables variables) {
    variables.insert({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
    const LaunchEnvironment environment(variables);
    return find_launch().value().joined;
  };
  CHECK_FALSE(joined({}));
  CHECK(joined({{"SLURM_MPI_TYPE", "pmix"}, {"PMIX_RANK", "1"}}));
  CHECK(joined({{"PMIX_RANK", "1"}}));
  CHECK(joined({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}));
}

TEST_CASE("variables that are not numbers or out of range are no launch", "[unit]") {
  for (const char* rank : {"", "x", "1x", "-1", "4", "99999999999999999999"}) {
    CAPTURE(rank);
    const LaunchEnvironment environment(Variables{{"PMI_RANK", rank}, {"PMI_SIZE", "4"}});
    CHECK_FALSE(find_launch());
  }
}

TEST_CASE("a command that works in one process refuses several", "[unit]") {
  {
    const LaunchEnvironment environment(
        Variables{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}});
    CHECK_NOTHROW(expect_single_process("distill"));
  }
  const LaunchEnvironment environment(
      Variables{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  CHECK_THROWS_WITH(expect_single_process("distill"),
                    test::contains("distill: works in one process, and mpirun started 4"));
}

}  // namespace dragoman::launch_test
