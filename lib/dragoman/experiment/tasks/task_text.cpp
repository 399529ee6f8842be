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

/// Failed draws of a pair before giving up with "too few different lines".
constexpr std::int64_t patience = 1000;

/// Lengths to draw, with their shares.
struct Lengths {
  std::vector<std::int64_t> lengths;
  std::vector<std::size_t> shares;  ///< of their sum

  std::int64_t draw(SplitMix64& random) const {
    auto number = random.below(std::reduce(shares.begin(), shares.end()));
    std::size_t i = 0;
    while (number >= shares[i]) number -= shares[i++];
    return lengths[i];
  }
};

std::vector<std::int64_t> listed_lengths(const TaskOptions& options) {
  return options.lengths.empty() ? task_of(options.kind).lengths : options.lengths;
}

Lengths trained_lengths(const TaskOptions& options) {
  Lengths all{listed_lengths(options), {}};
  const auto [least, greatest] = std::ranges::minmax(all.lengths);
  if (options.any_length) {
    all.lengths.resize(static_cast<std::size_t>(greatest - least + 1));
    std::iota(all.lengths.begin(), all.lengths.end(), least);
  }
  // Weights that are large, so that their rounding does not count.
  constexpr std::int64_t of_greatest = 1000000;
  for (const auto length : all.lengths)
    all.shares.push_back(options.balance == TaskBalance::lines
                             ? 1
                             : static_cast<std::size_t>(of_greatest * greatest / length));
  return all;
}

/// A random pair of that length that belongs to `part`.
LinePair draw_of_part(Part part, const TaskOptions& options, std::int64_t length,
                      SplitMix64& random) {
  const auto& task = task_of(options.kind);
  for (std::int64_t draws = 0; draws < patience; ++draws) {
    auto pair = task.draw(options, length, random);
    if (part_of(pair) == part) return pair;
  }
  throw OptionsError(
      "task: there are too few different lines to keep some for the test; "
      "use greater lengths or more symbols");
}

std::vector<LinePair> draw_training(const TaskOptions& options, SplitMix64& random) {
  const auto lengths = trained_lengths(options);
  std::vector<LinePair> pairs;
  while (std::ssize(pairs) < options.train)
    pairs.push_back(draw_of_part(Part::train, options, lengths.draw(random), random));
  return pairs;
}

/// Lines of each listed length in turn, different ones as long as there are any.
std::vector<LinePair> draw_held_out(Part part, std::int64_t count, const TaskOptions& options,
                                    SplitMix64& random) {
  constexpr int trials = 50;
  const auto listed = listed_lengths(options);
  const std::set<std::int64_t> different(listed.begin(), listed.end());
  const std::vector<std::int64_t> lengths(different.begin(), different.end());
  std::vector<LinePair> pairs;
  std::set<std::string> known;
  for (std::size_t i = 0; std::ssize(pairs) < count; ++i) {
    LinePair pair;
    for (int trial = 0; trial < trials; ++trial) {
      pair = draw_of_part(part, options, lengths[i % lengths.size()], random);
      if (known.insert(pair.source + '\t' + pair.target).second) break;
    }
    pairs.push_back(std::move(pair));
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
  SplitMix64 random(static_cast<std::uint64_t>(options.seed));
  TaskText text;
  text.train = draw_training(options, random);
  text.valid = draw_held_out(Part::valid, options.valid, options, random);
  text.test = draw_held_out(Part::test, options.test, options, random);
  return text;
}

void write_task_text(const TaskOptions& options, const std::filesystem::path& folder) {
  const auto text = make_task_text(options);
  make_folder(folder);
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
