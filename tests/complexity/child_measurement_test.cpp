#include "dragoman/complexity/child_measurement.h"

#include "dragoman/core/error.h"
#include "dragoman/core/process_usage.h"
#include "support/catch.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace child_measurement_test {

using dragoman::measure_in_child;

TEST_CASE("what a measurement in a child does stays there, and its result comes back", "[unit]") {
  const auto result = measure_in_child([] {
    ::setenv("DRAGOMAN_TEST_OF_CHILD", "set", 1);
    return nlohmann::json{{"variable", std::getenv("DRAGOMAN_TEST_OF_CHILD")},
                          {"long", std::string(100'000, 'x')}};
  });
  CHECK(result.at("variable") == "set");
  CHECK(result.at("long").get<std::string>().size() == 100'000);
  CHECK(std::getenv("DRAGOMAN_TEST_OF_CHILD") == nullptr);
}

TEST_CASE("the error of a measurement in a child is this process's", "[unit]") {
  CHECK_THROWS_AS(measure_in_child([]() -> nlohmann::json { throw std::runtime_error("lost"); }),
                  dragoman::InternalError);
  CHECK_THROWS_WITH(measure_in_child([]() -> nlohmann::json { throw std::runtime_error("lost"); }),
                    test::contains("lost"));
  CHECK_THROWS_AS(measure_in_child([]() -> nlohmann::json { throw std::bad_alloc(); }),
                  dragoman::DataError);
  CHECK_THROWS_WITH(measure_in_child([]() -> nlohmann::json { return ::raise(SIGKILL); }),
                    test::contains("was ended by signal 9; measure again"));
  CHECK_THROWS_AS(measure_in_child([]() -> nlohmann::json { return ::raise(SIGTERM); }),
                  dragoman::InternalError);
  CHECK_THROWS_WITH(measure_in_child([]() -> nlohmann::json { ::_exit(0); }),
                    test::contains("ended without a result"));
}

TEST_CASE("peak memory rises by what is written to, and not again by the same amount", "[unit]") {
  constexpr std::int64_t mebibytes = 256;
  const auto rises = measure_in_child([] {
    nlohmann::json found;
    for (int i = 0; i < 2; ++i) {
      const auto before = dragoman::peak_memory_mb();
      const std::vector<char> memory(std::size_t{mebibytes} << 20, 'x');
      found.push_back(memory[memory.size() / 2] == 'x' ? dragoman::peak_memory_mb() - before : -1);
    }
    return found;
  });
  CHECK(rises[0].get<std::int64_t>() > mebibytes / 2);
  CHECK(rises[0].get<std::int64_t>() < mebibytes * 5 / 4);
  CHECK(rises[1].get<std::int64_t>() < mebibytes / 8);
}

}  // namespace child_measurement_test
