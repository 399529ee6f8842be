#include "dragoman/run/training_records.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace training_records_test {

using namespace dragoman;

namespace {

std::vector<std::string> events_in(const std::filesystem::path& run_dir) {
  std::vector<std::string> events;
  for_each_training_record(
      run_dir, [&events](const nlohmann::json& record) { events.push_back(record.at("event")); });
  return events;
}

}  // namespace

TEST_CASE("records of a training are read in order, without damaged ones", "[unit]") {
  const test::TemporaryDirectory run;
  std::ofstream(run / "train.jsonl") << R"({"event": "start"})"
                                     << "\nno record\n"
                                     << R"({"event": "train", "step": "one"})" << '\n'
                                     << R"({"event": "end", "step": 2})" << "\n{\"event\": \"tr";
  CHECK(events_in(run.path()) == std::vector<std::string>{"start", "end"});
}

TEST_CASE("a run without records has none, and a folder is no file of records", "[unit]") {
  const test::TemporaryDirectory run;
  CHECK(events_in(run.path()).empty());
  std::filesystem::create_directory(run / "train.jsonl");
  CHECK_THROWS_AS(events_in(run.path()), DataError);
}

}  // namespace training_records_test
