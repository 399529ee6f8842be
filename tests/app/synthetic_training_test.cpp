#include "app/teacher.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace synthetic_training_test {

using test::dragoman;
using test::Teacher;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const fs::path& file) {
  return test::split_lines(test::content_of(file));
}

std::vector<std::string> without_blanks(std::vector<std::string> lines) {
  for (auto& line : lines) std::erase(line, ' ');
  return lines;
}

/// The blocks of translations that are written, before all are.
std::ptrdiff_t blocks_in(const fs::path& folder) {
  std::error_code missing;
  const fs::directory_iterator files(folder, missing);
  return std::count_if(begin(files), end(files), [](const fs::directory_entry& file) {
    const auto name = file.path().filename().string();
    return name.starts_with("block-") && name.ends_with(".json");
  });
}

/// The files that a training leaves and that do not tell the time.
std::map<std::string, std::string> lasting_files(const fs::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    const auto name = entry.path().lexically_relative(run).string();
    const bool lasts = name.starts_with("synthetic/") || name.ends_with("model.safetensors") ||
                       name.ends_with("tokenizer.model");
    if (lasts && entry.is_regular_file() && entry.path().filename() != "LOCK")
      files.emplace(name, test::content_of(entry.path()));
  }
  return files;
}

}  // namespace

TEST_CASE("a student is trained on its teacher's translations, and on the original ones if asked",
          "[e2e]") {
  const Teacher teacher;
  const auto run = teacher.in("student");
  const auto made = dragoman(teacher.command("distill", run, {}));
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const auto lines = lines_of(fs::path(run) / "synthetic/lines.txt");
  const auto translations = lines_of(fs::path(run) / "synthetic/translations.txt");
  REQUIRE(lines.size() == translations.size());
  REQUIRE_FALSE(lines.empty());
  // As `translate` does.
  test::ProcessInput text;
  for (const auto& line : lines) text.text += line + '\n';
  std::string expected;
  for (const auto& line : translations) expected += line + '\n';
  CHECK(dragoman({"translate", "-m", teacher.path}, text).out == expected);
  CHECK(dragoman({"translate", "-m", run}, text).exit_code == 0);

  const auto both = teacher.in("both");
  REQUIRE(dragoman(
              teacher.command("distill", both, {"--keep-original", "--monolingual", teacher.small}))
              .exit_code == 0);
  const auto config = nlohmann::json::parse(test::content_of(fs::path(both) / "config.json"));
  CHECK(config["data"]["train_source"].size() == 2);
  CHECK(lines_of(fs::path(both) / "synthetic/lines.txt").size() == 2 * lines.size());
}

TEST_CASE("an interpolated text has the hypothesis of each beam that is closest to the given one",
          "[e2e]") {
  const Teacher teacher;
  const auto listed = dragoman(
      {"translate", "-m", teacher.path, "-i", teacher.small, "--n-best", "3", "--beam-size", "3"});
  REQUIRE(listed.exit_code == 0);
  std::map<std::string, std::vector<std::string>> hypotheses;  // by line
  for (const auto& entry : test::split_lines(listed.out)) {
    const auto begin = entry.find(" ||| "), end = entry.rfind(" ||| ");
    hypotheses[entry.substr(0, begin)].push_back(entry.substr(begin + 5, end - begin - 5));
  }
  // Given translations that are hypotheses themselves: the best, the second, the third by turns.
  std::vector<std::string> given;
  std::ofstream file(teacher.in("given"));
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    const auto& beam = hypotheses.at(std::to_string(line));
    given.push_back(beam[line % beam.size()]);
    file << given.back() << '\n';
  }
  file.close();
  const auto distill = [&](const std::string& run, const std::vector<std::string>& more) {
    auto arguments = teacher.command("distill", teacher.in(run), more);
    std::ranges::replace(arguments, teacher.capital, teacher.in("given"));
    return dragoman(test::with(arguments, {"--search", "search.beam_size=3"}));
  };
  const auto translations = [&](const std::string& run) {
    return lines_of(fs::path(teacher.in(run)) / "synthetic/translations.txt");
  };
  for (const std::string utility : {"bleu", "chrf"}) {
    CAPTURE(utility);
    const auto made = distill(utility, {"--interpolate", utility});
    CAPTURE(made.err);
    REQUIRE(made.exit_code == 0);
    CHECK(without_blanks(translations(utility)) == without_blanks(given));  // as chrF sees them
  }
  REQUIRE(distill("best", {}).exit_code == 0);
  CHECK(without_blanks(translations("best")) != without_blanks(given));
  // The best ones of lines without a given translation.
  const auto more = distill("more", {"--interpolate", "bleu", "--monolingual", teacher.small});
  CAPTURE(more.err);
  REQUIRE(more.exit_code == 0);
  auto both = given;
  const auto best = translations("best");
  both.insert(both.end(), best.begin(), best.end());
  CHECK(without_blanks(translations("more")) == without_blanks(both));

  const auto other = distill("bleu", {"--interpolate", "chrf"});
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, test::contains("holds translations by another model, search or language"));
}

TEST_CASE("back-translations are tagged corpora beside the parallel text", "[e2e]") {
  const Teacher reverse;  // from `small` to `capital`: the model to be trained does the reverse
  const auto run = reverse.in("run");
  auto arguments = reverse.command("back-translate", run, {"--monolingual", reverse.small});
  std::swap(*(std::ranges::find(arguments, reverse.small)),
            *(std::ranges::find(arguments, reverse.capital)));
  const auto refused = dragoman(test::with(arguments, {"--tag", "a b"}));
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("back-translate --tag: a b has other characters than"));
  const auto made = dragoman(arguments);
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const auto data = nlohmann::json::parse(test::content_of(fs::path(run) / "config.json"))["data"];
  CHECK(data["source_tag"] == nlohmann::json({"", "bt"}));
  CHECK(data["train_source"].back().get<std::string>().ends_with("synthetic/translations.txt"));
  CHECK(data["train_target"].back().get<std::string>().ends_with("synthetic/lines.txt"));
  const auto info = dragoman({"info", "-m", run});
  CHECK_THAT(info.out, test::contains("tag of back-translations") && test::contains("bt") &&
                           !test::contains("translates from"));
}

TEST_CASE("a model that was trained without the tag is not given it by default", "[e2e]") {
  const Teacher reverse;
  const auto start = reverse.in("start");
  REQUIRE(dragoman(test::tiny_training(reverse.capital, reverse.small, start)).exit_code == 0);
  const auto back_translate = [&](const std::string& run, const std::vector<std::string>& more) {
    return dragoman(
        test::with({"back-translate", "-m", reverse.path, "--monolingual", reverse.small,
                    "--start-from", start, "--train-source", reverse.capital, "--train-target",
                    reverse.small, "-o", reverse.in(run), "--max-steps", "2"},
                   more));
  };
  const auto made = back_translate("made", {});
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  CHECK_THAT(made.err, test::contains("has no piece for the tag bt: the synthetic text is tagged"));
  const auto data =
      nlohmann::json::parse(test::content_of(fs::path(reverse.in("made")) / "config.json"))["data"];
  CHECK(data["source_tag"].empty());
  const auto refused = back_translate("refused", {"--tag", "bt"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, test::contains("has no piece for the tag bt; give --tag \"\""));
  CHECK_FALSE(fs::exists(reverse.in("refused")));
}

TEST_CASE("a distillation that is killed ends with the same bytes", "[e2e][slow]") {
  const Teacher teacher;
  {
    std::ofstream more(teacher.in("more"));
    for (int copy = 0; copy < 150; ++copy)
      for (const auto& line : lines_of(teacher.small))
        more << line << ' ' << static_cast<char>('a' + copy % 26) << '\n';
  }
  const auto arguments = [&](const std::string& run) {
    return teacher.command("distill", run,
                           {"train.max_steps=24", "--monolingual", teacher.in("more")});
  };
  const auto whole = teacher.in("whole"), killed = teacher.in("killed");
  REQUIRE(dragoman(arguments(whole)).exit_code == 0);
  const auto refused_in = [&](const std::vector<std::string>& other, const std::string& message) {
    const auto result = dragoman(other);
    CAPTURE(other);
    CHECK((result.exit_code == 1 || result.exit_code == 2));
    CHECK_THAT(result.err, test::contains(message));
  };
  // While translations are written, and at two steps of the training after them.
  const auto blocks_written = [&](std::ptrdiff_t count) {
    return [&, count] { return blocks_in(fs::path(killed) / "synthetic") >= count; };
  };
  const auto steps_done = [&](std::ptrdiff_t count) {
    return [&, count] { return test::lines_in(fs::path(killed) / "train.jsonl") >= count; };
  };
  const std::vector<std::function<bool()>> moments = {blocks_written(1), blocks_written(3),
                                                      steps_done(3), steps_done(10)};
  for (std::size_t i = 0; i < moments.size(); ++i) {
    CAPTURE(i);
    auto distillation = test::start_dragoman(arguments(killed));
    CHECK(distillation.wait_until(moments[i]));
    CHECK(distillation.end_with(SIGKILL) == 128 + SIGKILL);
    if (i != 1) continue;
    refused_in(test::tiny_training(teacher.small, teacher.capital, killed),
               "has begun there; repeat that whole command");
    refused_in({"train", "-o", killed}, "has begun there: repeat that whole command");
    auto other_text = arguments(killed);
    std::ranges::replace(other_text, teacher.in("more"), teacher.small);
    refused_in(other_text, "holds translations of another text");
  }
  const auto last = dragoman(arguments(killed));
  CAPTURE(last.err);
  REQUIRE(last.exit_code == 0);
  const auto expected = lasting_files(whole), found = lasting_files(killed);
  REQUIRE(expected.size() == found.size());
  for (const auto& [name, content] : expected) {
    CAPTURE(name);
    CHECK((found.contains(name) && found.at(name) == content));
  }
}

TEST_CASE("a student that begins with another run leaves the weights of its corpora out", "[e2e]") {
  const Teacher teacher;
  const auto start = teacher.in("start"), student = teacher.in("student");
  REQUIRE(dragoman(test::with(test::tiny_training(teacher.small, teacher.capital, start),
                              {"data.weights=[2]"}))
              .exit_code == 0);
  const std::vector<std::string> command = {
      "distill", "-m", teacher.path, "--start-from", start, "-o", student, "--dump-config", "-"};
  const auto dumped = dragoman(command);
  CAPTURE(dumped.err);
  REQUIRE(dumped.exit_code == 0);
  CHECK(nlohmann::json::parse(dumped.out)["data"]["weights"].empty());
  CHECK_THAT(dumped.err, test::contains("data.weights: left out, as those corpora are not read"));
  const auto given = dragoman(test::with(command, {"--set", "data.weights=[2]"}));
  CHECK(given.exit_code == 2);
  CHECK_THAT(given.err, test::contains("data.weights is for the original translations"));
}

}  // namespace synthetic_training_test
