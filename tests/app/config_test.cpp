#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <string>
#include <vector>

namespace config_test {

using nlohmann::json;
using test::contains;

TEST_CASE("a hostile configuration ends each command's run as its case says", "[golden]") {
  const json all = test::read_json(test::cases("hostile/cases.json"));
  const test::TemporaryDirectory folder;
  int seen = 0;
  for (const auto& hostile : all.at("cases")) {
    if (hostile.at("kind") != "config") continue;
    ++seen;
    const auto file = test::cases("hostile") / hostile.at("files").at(0).get<std::string>();
    const auto result =
        test::run({test::program(), "train", "-c", file.string(), "-o", (folder / "run").string()});
    CAPTURE(hostile.at("name").get<std::string>(), result.err);
    const auto codes = hostile.at("exit").get<std::vector<int>>();
    CHECK_FALSE(result.signalled);
    CHECK(std::count(codes.begin(), codes.end(), result.exit_code) == 1);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.err.size() < 2000);
    CHECK(result.out.empty());
    for (const auto& name : hostile.at("message_names"))
      CHECK_THAT(result.err, contains(name.get<std::string>()));
    if (hostile.contains("message_where"))
      CHECK_THAT(result.err, contains(hostile.at("message_where").get<std::string>()));
    CHECK(result.seconds < 10.0);
    CHECK(result.max_resident_kb < 1024 * 1024);
    CHECK(std::filesystem::is_empty(folder.path()));
  }
  CHECK(seen > 0);
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
