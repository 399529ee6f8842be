#include "commands/commands.h"
#include "commands/memory_bound.h"
#include "commands/text_files.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/task_text.h"

#include <iostream>
#include <memory>
#include <numeric>

namespace dragoman::app {

namespace {

struct ExperimentTaskCommand {
  std::string name;
  TaskOptions options;
  std::filesystem::path folder;

  void run() {
    options.kind = task_kind(name);
    options.validate();
    expect_text();
    NewFolder made(folder);
    write_task_text(options, folder);
    made.keep();
    const auto pairs = [](std::int64_t count) {
      return std::to_string(count) + (count == 1 ? " pair\n" : " pairs\n");
    };
    std::cout << "train\t" << pairs(options.train) << "valid\t" << pairs(options.valid) << "test\t"
              << pairs(options.test) << "source\t" << first_line("test.source") << "\ntarget\t"
              << first_line("test.target") << '\n';
  }

  /// Each pair has two lines of at least a byte for each unit of its length, and they are written
  /// at once.
  void expect_text() const {
    const auto lengths = options.lengths.empty() ? task_of(options.kind).lengths : options.lengths;
    const auto all = std::accumulate(lengths.begin(), lengths.end(), 0.0);
    const auto bytes_of_pair = sizeof(LinePair) + 2 * all / static_cast<double>(lengths.size());
    const auto pairs = static_cast<double>(options.train + options.valid + options.test);
    expect_memory("experiment task", pairs * bytes_of_pair,
                  "choose fewer --pairs or smaller --length");
  }

  /// Shown as an example.
  std::string first_line(const char* file) const {
    constexpr std::size_t limit = 100;
    const auto text = read_file(folder / file);
    const auto line = text.substr(0, text.find('\n'));
    return line.size() > limit ? line.substr(0, limit) + "..." : line;
  }
};

void expect_use(const CLI::Option& option, bool used, const std::string& task) {
  if (option.count() > 0 && !used)
    throw OptionsError(concat(option.get_name(), ": means nothing for ", task, "; leave it out"));
}

/// "copy: the source again; ..."
std::string task_list() {
  std::string text;
  for (const auto& name : task_names())
    text += concat(text.empty() ? "" : "; ", name, ": ", task_of(task_kind(name)).about);
  return text;
}

}  // namespace

void add_experiment_task(CLI::App& experiment) {
  auto* sub = experiment.add_subcommand(
      "task", "Write the text of a synthetic task for train, translate and evaluate");
  auto command = std::make_shared<ExperimentTaskCommand>();
  auto& options = command->options;
  sub->add_option("name", command->name, "What the target is. " + task_list())
      ->required()
      ->check(CLI::IsMember(task_names()));
  sub->add_option("-o,--output", command->folder,
                  "Folder to make, new or empty, for train.source, train.target, valid.*, test.*; "
                  "where part of a target is "
                  "given, test.given for translate --target-prefix")
      ->required()
      ->check(a_folder());
  sub->add_option("--pairs", options.train, "Pairs to learn from")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub->add_option("--valid-pairs", options.valid, "Pairs held out for losses")
      ->capture_default_str();
  sub->add_option("--test-pairs", options.test,
                  "Pairs held out for the test; none is among the others")
      ->capture_default_str();
  sub->add_option("-n,--length,--distance", options.lengths,
                  "Lengths of the lines: letters, words from subject to verb (agreement), "
                  "words (retrieval); a length listed twice is trained twice as often; default: "
                  "the task's own");
  sub->add_flag("--any-length", options.any_length,
                "Train on any length between the least and the greatest of these");
  sub->add_flag_callback(
      "--equal-words", [command] { command->options.balance = TaskBalance::words; },
      "Balance the training text by words per length, not by lines");
  auto* symbols =
      sub->add_option("--symbols", options.symbols,
                      "Different letters, at most 26, retrieval: 16; agreement has words instead")
          ->capture_default_str();
  auto* keys = sub->add_option("--keys", options.keys,
                               "retrieval: keys with a value in each line, at most 26")
                   ->capture_default_str();
  sub->add_option("--seed", options.seed, "The same seed gives the same text")
      ->capture_default_str();
  sub->callback([=] {
    expect_use(*symbols, command->name != "agreement", command->name);
    expect_use(*keys, command->name == "retrieval", command->name);
    command->run();
  });
}

}  // namespace dragoman::app
