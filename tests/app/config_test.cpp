#include "support/catch.h"
#include "support/hostile.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <string>
#include <vector>

namespace config_test {

using test::contains;

namespace {

/// What holds of every end of a command, whatever its configuration.
void check_end(const test::ProcessResult& result) {
  CHECK_FALSE(result.signalled);
  CHECK(result.seconds < 10.0);
  CHECK(result.max_resident_kb < 1024 * 1024);
  CHECK(result.err.size() < 2000);
}

void check_refused(const nlohmann::json& hostile, const test::ProcessResult& result) {
  CHECK(test::allows_exit(hostile, result.exit_code));
  CHECK(result.out.empty());
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  test::check_refusal(hostile, result.err);
}

}  // namespace

TEST_CASE("a hostile configuration ends each command's run as its case says", "[golden]") {
  const test::TemporaryDirectory folder;
  for (const auto& hostile : test::hostile_cases("config")) {
    const auto file = test::hostile_file(hostile).string();
    const auto info = test::run({test::program(), "info", "-c", file}),
               train = test::run(
                   {test::program(), "train", "-c", file, "-o", (folder / "run").string()});
    CAPTURE(hostile.at("name").get<std::string>(), info.err, train.err);
    check_end(info);
    check_end(train);
    const bool taken = info.exit_code == 0;
    CHECK(test::allows_end(hostile, taken));
    if (taken) {
      CHECK(test::allows_exit(hostile, 0));
      CHECK(train.err.find(file) == std::string::npos);  // it lacks something else, such as text
    } else {
      check_refused(hostile, info);
      check_refused(hostile, train);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}

TEST_CASE("a wrong override ends with 2 and names its key", "[unit]") {
  const test::TemporaryDirectory folder;
  for (const std::string wrong : {"model.num_heads=7", "model.d_ff=-1", "train.warmup_stepz=1"}) {
    const auto result = test::run({test::program(), "train", "--preset", "tiny", "--set", wrong,
                                   "-o", (folder / "run").string()});
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               contains(wrong.substr(wrong.find('.') + 1, wrong.find('=') - wrong.find('.') - 1)));
  }
}

}  // namespace config_test
