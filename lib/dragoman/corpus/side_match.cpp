#include "dragoman/corpus/side_match.h"

#include "dragoman/core/concat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace dragoman {

namespace {

constexpr std::size_t block_lines = 512;
constexpr std::size_t most_blocks = 2048;
constexpr std::size_t least_lines = 100;   // of a block that is judged
constexpr std::size_t ending_lines = 160;  // few, but enough for clear evidence of a shift
constexpr int most_shift = 6;
constexpr int first_decoy = 10, last_decoy = 19;  // distances of lines that do not belong together

// Evidence is in standard deviations of what unrelated lines would show; aligned blocks of real
// corpora have 10 or more.
constexpr double clear_evidence = 4.0;
constexpr double clear_lead = 5.0;  // of a shift over none
constexpr double fair_correlation = 0.25;
constexpr double least_spread = 0.1;  // of the logarithm of lengths, for these to be informative
constexpr double least_deviation = 0.1;

/// The time grows with the product of the lengths; lines of a table are short.
bool is_contained(std::string_view source, std::string_view target) {
  constexpr std::size_t least = 3, most = 4096;  // bytes; fewer occur anywhere
  return std::min(source.size(), target.size()) >= least &&
         std::max(source.size(), target.size()) <= most && source != target &&
         (source.find(target) != source.npos || target.find(source) != target.npos);
}

double log_length(std::uint16_t characters) { return std::log1p(static_cast<double>(characters)); }

}  // namespace

/// Normalises lengths to mean 0 and deviation 1.
struct SideMatch::Scale {
  /// Sum, mean and spread of a stream of numbers.
  struct Moments {
    double count = 0.0, sum = 0.0, squares = 0.0;
    void add(double value) {
      ++count;
      sum += value;
      squares += value * value;
    }
    double mean() const { return count > 0.0 ? sum / count : 0.0; }
    double deviation() const {
      if (count < 2.0) return 0.0;
      return std::sqrt(std::max(0.0, squares / count - mean() * mean()));
    }
  };

  Moments source, target;

  static double standard(const Moments& moments, std::uint16_t characters) {
    const double spread = moments.deviation();
    return spread < 1e-6 ? 0.0 : (log_length(characters) - moments.mean()) / spread;
  }
  double product(const LineFeatures& a, const LineFeatures& b) const {
    return standard(source, a.characters) * standard(target, b.characters);
  }
  bool lengths_tell() const {
    return source.deviation() > least_spread && target.deviation() > least_spread;
  }
};

/// How well a block's lines fit those `shift` lines further.
struct SideMatch::Evidence {
  const Block* block = nullptr;
  std::array<double, 2 * most_shift + 1> z{};  ///< by shift, from -most_shift
  double correlation = 0.0;                    ///< without a shift
  double words_mean = 0.0,
         words_deviation = least_deviation;  ///< of lines that do not belong together

  double at(int shift) const { return z[static_cast<std::size_t>(shift + most_shift)]; }
  int best_shift() const {
    return static_cast<int>(std::max_element(z.begin(), z.end()) - z.begin()) - most_shift;
  }
  bool shifted() const {
    const double best = at(best_shift());
    return best_shift() != 0 && best > clear_lead && best > at(0) + clear_lead;
  }
  bool unrelated() const {
    return !shifted() && correlation < fair_correlation && at(best_shift()) < clear_evidence;
  }
};

void SideMatch::add(std::string_view source, std::string_view target) {
  const auto number = lines_++;
  filled_ += !source.empty() && !target.empty() ? 1 : 0;
  contained_ += is_contained(source, target) ? 1 : 0;
  const auto size = static_cast<std::int64_t>(block_lines);
  if (number % size == 0 && blocks_.size() == most_blocks) thin_out();
  if (number / size % every_ != 0) return;
  if (number % size == 0) blocks_.push_back({.first = number + 1, .source = {}, .target = {}});
  blocks_.back().source.push_back(line_features(source));
  blocks_.back().target.push_back(line_features(target));
}

std::optional<std::int64_t> SideMatch::contained() const {
  const bool is_table = contained_ > 0 && 2 * contained_ >= filled_;
  return is_table ? std::optional(contained_) : std::nullopt;
}

void SideMatch::thin_out() {
  for (std::size_t i = 1; 2 * i < blocks_.size(); ++i) blocks_[i] = std::move(blocks_[2 * i]);
  blocks_.resize((blocks_.size() + 1) / 2);
  every_ *= 2;
}

SideMatch::Scale SideMatch::scale() const {
  Scale scale;
  for (const auto& block : blocks_) {
    for (const auto& line : block.source) scale.source.add(log_length(line.characters));
    for (const auto& line : block.target) scale.target.add(log_length(line.characters));
  }
  return scale;
}

double SideMatch::length_correlation() const {
  const auto scale = this->scale();
  Scale::Moments products;
  for (const auto& block : blocks_)
    for (std::size_t i = 0; i < block.source.size(); ++i)
      products.add(scale.product(block.source[i], block.target[i]));
  return products.mean();
}

SideMatch::Evidence SideMatch::weigh(const Block& block, const Scale& scale) const {
  const auto lines = static_cast<int>(block.source.size());
  const auto compare = [&](int shift, Scale::Moments& lengths, Scale::Moments& words) {
    for (int i = std::max(0, -shift); i < lines && i + shift < lines; ++i) {
      const auto& a = block.source[static_cast<std::size_t>(i)];
      const auto& b = block.target[static_cast<std::size_t>(i + shift)];
      lengths.add(scale.product(a, b));
      words.add(std::popcount(a.words & b.words));
    }
  };
  Scale::Moments decoy_lengths, decoy_words;
  for (int distance = first_decoy; distance <= last_decoy; ++distance)
    for (const int shift : {distance, -distance}) compare(shift, decoy_lengths, decoy_words);
  Evidence evidence{.block = &block};
  evidence.words_mean = decoy_words.mean();
  evidence.words_deviation = std::max(decoy_words.deviation(), least_deviation);
  for (int shift = -most_shift; shift <= most_shift; ++shift) {
    Scale::Moments lengths, words;
    compare(shift, lengths, words);
    const double sum = lengths.mean() - decoy_lengths.mean() +
                       (words.mean() - evidence.words_mean) / evidence.words_deviation;
    evidence.z[static_cast<std::size_t>(shift + most_shift)] = sum * std::sqrt(lengths.count / 2.0);
    if (shift == 0) evidence.correlation = lengths.mean();
  }
  return evidence;
}

/// The line from which the shift of block `at` explains more than none: between the beginning of
/// the block before it and its end.
std::int64_t SideMatch::first_shifted(const std::vector<Evidence>& blocks, std::size_t at,
                                      const Scale& scale) const {
  const int shift = blocks[at].best_shift();
  double gain = 0.0, least = 0.0;  // of the shift over none, up to a line
  auto first = blocks[at - 1].block->first;
  for (const auto* evidence : {&blocks[at - 1], &blocks[at]}) {
    const auto& block = *evidence->block;
    const auto lines = static_cast<int>(block.source.size());
    const auto fit = [&](int i, int j) {
      const auto& a = block.source[static_cast<std::size_t>(i)];
      const auto& b = block.target[static_cast<std::size_t>(j)];
      return scale.product(a, b) +
             (std::popcount(a.words & b.words) - evidence->words_mean) / evidence->words_deviation;
    };
    for (int i = 0; i < lines; ++i) {
      if (i + shift < 0 || i + shift >= lines) continue;
      gain += fit(i, i + shift) - fit(i, i);
      if (gain >= least) continue;
      least = gain;
      first = block.first + i + 1;
    }
  }
  return first;
}

namespace {

/// Neighbouring blocks with one fault.
struct Run {
  std::size_t begin = 0, size = 0;
};

/// \param faults of the blocks; 0 = none
/// \param ends_shifted whether the last block's is a shift
Run longest_run(const std::vector<int>& faults, bool ends_shifted) {
  Run longest;
  for (std::size_t i = 0; i < faults.size();) {
    auto end = i + 1;
    while (end < faults.size() && faults[end] == faults[i]) ++end;
    // One block may be odd; it counts where there is no other, or where the text ends shifted.
    const bool enough = end - i > 1 || faults.size() == 1 || (end == faults.size() && ends_shifted);
    if (faults[i] != 0 && enough && end - i > longest.size) longest = {i, end - i};
    i = end;
  }
  return longest;
}

}  // namespace

std::optional<Mismatch> SideMatch::mismatch() const {
  const auto scale = this->scale();
  const auto longest = longest_mismatch(scale);
  return longest ? longest : shifted_ending(scale);
}

std::optional<Mismatch> SideMatch::longest_mismatch(const Scale& scale) const {
  std::vector<Evidence> blocks;
  for (const auto& block : blocks_)
    if (block.source.size() >= least_lines) blocks.push_back(weigh(block, scale));
  if (blocks.empty()) return std::nullopt;
  constexpr int unrelated = most_shift + 1;  // beside the shifts
  std::vector<int> faults;
  for (const auto& block : blocks)
    faults.push_back(block.shifted()                             ? block.best_shift()
                     : block.unrelated() && scale.lengths_tell() ? unrelated
                                                                 : 0);
  const auto [begin, longest] = longest_run(faults, blocks.back().shifted());
  if (longest == 0) return std::nullopt;
  const auto& last = *blocks[begin + longest - 1].block;
  const bool to_the_end = begin + longest == blocks.size();
  Mismatch found{
      .first = blocks[begin].block->first,
      .last = to_the_end ? lines_ : last.first + static_cast<std::int64_t>(last.source.size()) - 1,
      .all = longest == blocks.size(),
      .shift = blocks[begin].shifted() ? blocks[begin].best_shift() : 0};
  if (found.shift != 0 && begin > 0 && every_ == 1)
    found.first = first_shifted(blocks, begin, scale);
  return found;
}

/// Of a shift in the last lines only, which the last block hides: it has other lines besides, or is
/// too small. None of a text of which some blocks are not kept.
std::optional<Mismatch> SideMatch::shifted_ending(const Scale& scale) const {
  if (every_ > 1 || lines_ < 2 * static_cast<std::int64_t>(ending_lines)) return std::nullopt;
  // The lines of the last two blocks, divided anew.
  const auto begin = blocks_.size() - std::min<std::size_t>(blocks_.size(), 2);
  auto before = blocks_[begin];
  for (auto i = begin + 1; i < blocks_.size(); ++i) {
    const auto& block = blocks_[i];
    before.source.insert(before.source.end(), block.source.begin(), block.source.end());
    before.target.insert(before.target.end(), block.target.begin(), block.target.end());
  }
  const auto at = static_cast<std::ptrdiff_t>(before.source.size() - ending_lines);
  const Block ending{.first = before.first + at,
                     .source = {before.source.begin() + at, before.source.end()},
                     .target = {before.target.begin() + at, before.target.end()}};
  before.source.erase(before.source.begin() + at, before.source.end());
  before.target.erase(before.target.begin() + at, before.target.end());
  const std::vector<Evidence> blocks{weigh(before, scale), weigh(ending, scale)};
  if (!blocks.back().shifted()) return std::nullopt;
  return Mismatch{.first = first_shifted(blocks, 1, scale),
                  .last = lines_,
                  .shift = blocks.back().best_shift()};
}

std::string mismatch_text(const Mismatch& mismatch, const std::string& source_name,
                          const std::string& target_name) {
  const auto place =
      mismatch.all ? std::string() : concat(" in lines ", mismatch.first, " to ", mismatch.last);
  if (mismatch.shift == 0)
    return concat(source_name, " and ", target_name, ": the sides seem unrelated", place,
                  ": neither their lengths nor numbers, names and other common words agree; are "
                  "these the right files, in the same order?");
  const auto lines = std::abs(mismatch.shift);
  return concat(source_name, " and ", target_name, ": the target seems shifted by ", lines,
                lines == 1 ? " line" : " lines", place, ": source line n fits target line n ",
                mismatch.shift > 0 ? '+' : '-', ' ', lines,
                "; look for a line that is missing or was added on one side");
}

std::string table_text(std::int64_t contained, const std::string& source_name,
                       const std::string& target_name) {
  return concat(source_name, " and ", target_name, ": in ", contained,
                " pairs one side is a part of the other; is one file a table of both languages? ",
                "Give each column as a file of its own");
}

}  // namespace dragoman
