#include "dragoman/experiment/tasks/task_text.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/fingerprint.h"
#include "dragoman/experiment/tasks/task.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace dragoman {

namespace {

/// The pair determines its part: one in eight is reserved for testing, another for validation.
enum class Part { test, valid, train };

Part part_of(const LinePair& pair) {
  const auto one_of_eight = fingerprint(pair.source + '\t' + pair.target) % 8;
  return one_of_eight == 0 ? Part::test : one_of_eight == 1 ? Part::valid : Part::train;
}

/// Failed draws per requested pair before giving up with "too few different lines".
constexpr std::int64_t patience = 1000;

/// Lengths to draw, with their shares.
struct Lengths {
  std::vector<std::int64_t> lengths;
  std::vector<std::size_t> shares;  ///< of their sum

  std::int64_t draw(Dice& dice) const {
    auto number = dice.below(std::reduce(shares.begin(), shares.end()));
    std::size_t i = 0;
    while (number >= shares[i]) number -= shares[i++];
    return lengths[i];
  }
};

Lengths trained_lengths(const TaskOptions& options) {
  Lengths all{options.lengths.empty() ? task_of(options.kind).lengths : options.lengths, {}};
  const auto longest = *std::max_element(all.lengths.begin(), all.lengths.end());
  for (const auto length : all.lengths)
    all.shares.push_back(
        options.balance == TaskBalance::lines ? 1 : static_cast<std::size_t>(longest / length));
  return all;
}

Lengths held_out_lengths(const Lengths& trained) {
  const std::set<std::int64_t> each(trained.lengths.begin(), trained.lengths.end());
  return {{each.begin(), each.end()}, std::vector<std::size_t>(each.size(), 1)};
}

std::vector<LinePair> draw_part(Part part, std::int64_t count, const TaskOptions& options,
                                const Lengths& lengths, Dice& dice) {
  const auto& task = task_of(options.kind);
  std::vector<LinePair> pairs;
  for (auto draws = patience * count; std::ssize(pairs) < count; --draws) {
    if (draws == 0)
      throw OptionsError(
          "task: there are too few different lines to keep some for the test; "
          "use greater lengths or more symbols");
    auto pair = task.draw(options, lengths.draw(dice), dice);
    if (part_of(pair) == part) pairs.push_back(std::move(pair));
  }
  return pairs;
}

void write_side(const std::filesystem::path& file, const std::vector<LinePair>& pairs,
                std::string LinePair::* side) {
  std::string lines;
  for (const auto& pair : pairs) lines += pair.*side + '\n';
  write_file_atomically(file, lines);
}

void write_part(const std::filesystem::path& folder, const std::string& name,
                const std::vector<LinePair>& pairs) {
  write_side(folder / (name + ".source"), pairs, &LinePair::source);
  write_side(folder / (name + ".target"), pairs, &LinePair::target);
}

}  // namespace

TaskText make_task_text(const TaskOptions& options) {
  options.validate();
  const auto trained = trained_lengths(options);
  const auto held_out = held_out_lengths(trained);
  Dice dice(static_cast<std::uint64_t>(options.seed));
  TaskText text;
  text.train = draw_part(Part::train, options.train, options, trained, dice);
  text.valid = draw_part(Part::valid, options.valid, options, held_out, dice);
  text.test = draw_part(Part::test, options.test, options, held_out, dice);
  return text;
}

void write_task_text(const TaskOptions& options, const std::filesystem::path& folder) {
  const auto text = make_task_text(options);
  std::filesystem::create_directories(folder);
  write_part(folder, "train", text.train);
  write_part(folder, "valid", text.valid);
  const auto& task = task_of(options.kind);
  std::string given;
  for (const auto& pair : text.test) given += task.given(pair.target) + '\n';
  if (given.find_first_not_of('\n') != std::string::npos)
    write_file_atomically(folder / "test.given", given);
  write_part(folder, "test", text.test);
}

}  // namespace dragoman
