#include "dragoman/storage/leftovers.h"

#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

namespace leftovers_test {

using namespace dragoman;

TEST_CASE("Of one file only its own leftovers are removed", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> own = {"a.json.tmp-123", "a.json.tmp-123-4", "a.json.new"};
  const std::vector<std::string> others = {"a.json", "b.json.tmp-123", "a.jsonx", "b.new"};
  for (const auto& names : {own, others})
    for (const auto& name : names) write_new_file(folder / name, "x");
  remove_leftovers_of(folder / "a.json");
  for (const auto& name : own) CHECK_FALSE(std::filesystem::exists(folder / name));
  for (const auto& name : others) CHECK(std::filesystem::exists(folder / name));
}

TEST_CASE("In a folder only what carries the number of a process at its end is removed", "[unit]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> leftovers = {"a.json.tmp-123", "b.tmp-1-2", "c.tmp-delete"};
  const std::vector<std::string> others = {"notes.tmp-draft", "a.tmp-12.txt", "tmp-1", "a.tmp-",
                                           "a.tmp-1-"};
  for (const auto& names : {leftovers, others})
    for (const auto& name : names) write_new_file(folder / name, "x");
  std::filesystem::create_directories(folder / "step.tmp-7/inner");
  remove_leftovers_in(folder.path());
  for (const auto& name : leftovers) CHECK_FALSE(std::filesystem::exists(folder / name));
  for (const auto& name : others) CHECK(std::filesystem::exists(folder / name));
  CHECK_FALSE(std::filesystem::exists(folder / "step.tmp-7"));
}

TEST_CASE("A folder that is not there has no leftovers", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_NOTHROW(remove_leftovers_in(folder / "none"));
}

}  // namespace leftovers_test
