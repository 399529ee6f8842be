#include "dragoman/experiment/tasks/task_text.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace task_text_test {

using namespace dragoman;

namespace {

constexpr std::array names = {"train.source", "train.target", "valid.source",
                              "valid.target", "test.source",  "test.target"};

TaskOptions small(TaskKind kind, std::int64_t seed = 1) {
  return {.kind = kind, .train = 300, .valid = 20, .test = 30, .seed = seed};
}

std::set<std::string> lines_of(const std::vector<LinePair>& pairs) {
  std::set<std::string> lines;
  for (const auto& pair : pairs) lines.insert(pair.source + '\t' + pair.target);
  return lines;
}

std::string written(const TaskOptions& options) {
  const test::TemporaryDirectory folder;
  write_task_text(options, folder.path());
  std::string all;
  for (const auto* name : names) all += read_file(folder / name);
  return all;
}

}  // namespace

TEST_CASE("a synthetic text has the requested number of pairs, and none is in two parts",
          "[unit]") {
  for (const auto& name : task_names()) {
    CAPTURE(name);
    const auto text = make_task_text(small(task_kind(name)));
    CHECK(text.train.size() == 300);
    CHECK(text.valid.size() == 20);
    CHECK(text.test.size() == 30);
    auto all = lines_of(text.train);
    const auto trained = all.size();
    const auto valid = lines_of(text.valid), tested = lines_of(text.test);
    all.insert(valid.begin(), valid.end());
    all.insert(tested.begin(), tested.end());
    CHECK(all.size() == trained + valid.size() + tested.size());
  }
}

TEST_CASE("equal seeds write equal bytes, different seeds different ones", "[unit]") {
  for (const auto& name : task_names()) {
    CAPTURE(name);
    const auto kind = task_kind(name);
    CHECK(written(small(kind)) == written(small(kind)));
    CHECK(written(small(kind)) != written(small(kind, 2)));
  }
}

TEST_CASE("training lengths are balanced by lines or by words, held-out ones by lines", "[unit]") {
  auto options = small(TaskKind::copy);
  options.train = 1700;
  options.test = 400;
  options.lengths = {4, 64};
  const auto short_share = [](const std::vector<LinePair>& pairs) {
    const auto count = std::count_if(pairs.begin(), pairs.end(),
                                     [](const LinePair& pair) { return pair.source.size() == 7; });
    return static_cast<double>(count) / static_cast<double>(pairs.size());
  };
  CHECK(short_share(make_task_text(options).train) == test::Approx(0.5).margin(0.05));
  options.lengths = {4, 4, 4, 64};
  CHECK(short_share(make_task_text(options).train) == test::Approx(0.75).margin(0.05));
  options.balance = TaskBalance::words;
  options.lengths = {4, 64};
  const auto text = make_task_text(options);
  CHECK(short_share(text.train) == test::Approx(16.0 / 17.0).margin(0.03));
  CHECK(short_share(text.test) == test::Approx(0.5).margin(0.1));
}

TEST_CASE("lengths that do not divide each other are balanced by words too", "[unit]") {
  auto options = small(TaskKind::copy);
  options.train = 8000;
  options.lengths = {3, 8};
  options.balance = TaskBalance::words;
  const auto text = make_task_text(options);
  const auto count = std::ranges::count_if(
      text.train, [](const LinePair& pair) { return pair.source.size() == 2 * 3 - 1; });
  CHECK(static_cast<double>(count) / 8000.0 == test::Approx(8.0 / 11.0).margin(0.02));
}

TEST_CASE("training lengths are drawn between the listed ones, held-out ones among them",
          "[unit]") {
  auto options = small(TaskKind::copy);
  options.lengths = {4, 9};
  options.any_length = true;
  const auto lengths_in = [](const std::vector<LinePair>& pairs) {
    std::multiset<std::size_t> lengths;
    for (const auto& pair : pairs) lengths.insert((pair.source.size() + 1) / 2);
    return lengths;
  };
  const auto text = make_task_text(options);
  const auto trained = lengths_in(text.train);
  for (std::size_t length = 4; length <= 9; ++length) CHECK(trained.count(length) > 0);
  CHECK(trained.count(3) + trained.count(10) == 0);
  CHECK(lengths_in(text.test).count(4) == 15);
  CHECK(lengths_in(text.test).count(9) == 15);
}

TEST_CASE("held-out lines differ, as long as there are enough different ones", "[unit]") {
  for (const auto& name : task_names()) {
    CAPTURE(name);
    auto options = small(task_kind(name));
    options.test = 60;
    CHECK(lines_of(make_task_text(options).test).size() == 60);
  }
  auto options = small(TaskKind::copy);
  options.lengths = {2};
  options.symbols = 6;
  CHECK(lines_of(make_task_text(options).test).size() < 30);
}

TEST_CASE("the given part of the targets is written if a task gives one", "[unit]") {
  const test::TemporaryDirectory folder;
  write_task_text(small(TaskKind::copy), folder / "copy");
  CHECK_FALSE(std::filesystem::exists(folder / "copy" / "test.given"));
  write_task_text(small(TaskKind::agreement), folder / "agreement");
  const auto given = read_file(folder / "agreement" / "test.given");
  const auto target = read_file(folder / "agreement" / "test.target");
  const auto source = read_file(folder / "agreement" / "test.source");
  const auto first = given.substr(0, given.find('\n'));
  CHECK(first.ends_with(' ' + source.substr(0, source.find(' '))));
  CHECK(target.starts_with(first + ' '));
  CHECK(std::count(given.begin(), given.end(), '\n') == 30);
}

TEST_CASE("a task with too few different lines is refused", "[unit]") {
  auto options = small(TaskKind::copy);
  options.symbols = 2;
  options.lengths = {1};
  CHECK_THROWS_WITH(make_task_text(options), test::contains("too few different lines"));
}

TEST_CASE("the identity of a task consists of the differences from the defaults", "[unit]") {
  CHECK(task_identity({}) == "2 []");  // and of the version of the lines
  CHECK(task_identity(small(TaskKind::copy)) != task_identity(small(TaskKind::sort)));
  CHECK(task_identity({.kind = TaskKind::copy}).find("seed") == std::string::npos);
}

}  // namespace task_text_test
