#include "dragoman/corpus/parallel_text.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/text/text_file.h"

#include <utility>

namespace dragoman {

namespace {

// A block is encoded by one thread: some ten milliseconds of work, and little memory.
constexpr std::size_t block_pairs = 2048;
constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Lines of a file of which one line more than `before` has been read.
std::int64_t count_lines(LineReader& reader, std::int64_t before) {
  auto lines = before + 1;
  while (reader.next()) ++lines;
  return lines;
}

}  // namespace

ParallelText::ParallelText(std::span<const std::string> sources,
                           std::span<const std::string> targets, BlankPairs blank)
    : sources_(sources.begin(), sources.end()),
      targets_(targets.begin(), targets.end()),
      blank_(blank) {
  if (sources.size() != targets.size() || sources.empty())
    throw OptionsError(concat("training text: ", sources.size(), " source and ", targets.size(),
                              " target files; name one target file for each source file"));
}

bool ParallelText::next_file() {
  if (begun_ == sources_.size()) {
    expect_filled();
    return false;
  }
  source_ = open_text(sources_[begun_], LineUse::training);
  target_ = open_text(targets_[begun_], LineUse::training);
  ++begun_;
  return true;
}

std::optional<LinePair> ParallelText::next_of_file() {
  if (!source_) return std::nullopt;
  auto source = source_->next();
  auto target = target_->next();
  if (source && target) {
    ++pairs_;
    filled_ += source->text.empty() || target->text.empty() ? 0 : 1;
    return LinePair{.source = std::move(source->text), .target = std::move(target->text)};
  }
  if (source || target) {
    const auto lines = (source ? source : target)->number - 1;
    const auto source_lines = source ? count_lines(*source_, lines) : lines;
    const auto target_lines = target ? count_lines(*target_, lines) : lines;
    throw DataError(concat(source_->place(), " and ", target_->place(), ": have ", source_lines,
                           " and ", target_lines,
                           " lines; line n of one must belong to line n of the other"));
  }
  source_.reset();
  target_.reset();
  return std::nullopt;
}

std::optional<LinePair> ParallelText::next() {
  for (;;) {
    if (auto pair = next_of_file()) return pair;
    if (!next_file()) return std::nullopt;
  }
}

std::vector<LinePair> ParallelText::next_block() {
  std::vector<LinePair> block;
  std::size_t bytes = 0;
  while (block.size() < block_pairs && bytes < block_bytes) {
    auto pair = next_of_file();
    if (!pair) break;
    bytes += pair->source.size() + pair->target.size();
    block.push_back(std::move(*pair));
  }
  return block;
}

void ParallelText::expect_filled() const {
  if (filled_ == 0 && blank_ == BlankPairs::refused)
    throw DataError(concat(
        corpus_place(sources_, targets_), ": 0 of ", pairs_,
        " pairs are usable: no line has text on both sides; check that these are the right files"));
}

void expect_parallel_text(std::span<const std::string> sources,
                          std::span<const std::string> targets) {
  ParallelText text(sources, targets);
  while (text.next()) {
  }
}

std::string corpus_place(std::span<const std::string> sources,
                         std::span<const std::string> targets) {
  return joined(sources) + " and " + joined(targets);
}

}  // namespace dragoman
