#include "dragoman/metrics/ngram_table.h"

#include <algorithm>
#include <unordered_map>

namespace dragoman {

namespace {

/// Numbers for n-grams: that of an n-gram follows from the number of its first n - 1 symbols and
/// its last symbol. 0 is the empty one.
class NgramNumbers {
 public:
  std::uint32_t number(std::uint32_t beginning, char32_t last) {
    const auto key = (std::uint64_t{beginning} << 32U) | std::uint64_t{last};
    return known_.try_emplace(key, static_cast<std::uint32_t>(known_.size() + 1)).first->second;
  }
  std::size_t size() const { return known_.size() + 1; }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

}  // namespace

NgramTable::NgramTable(std::span<const std::u32string> texts, std::size_t max_order)
    : max_order_(max_order), begins_{0} {
  NgramNumbers numbers;
  std::vector<std::uint32_t> at, sorted;
  for (const auto& text : texts) {
    lengths_.push_back(text.size());
    at.assign(text.size(), 0);  // the n-gram of the order before that begins there
    for (std::size_t n = 1; n <= max_order; ++n) {
      at.resize(text.size() < n ? 0 : text.size() - n + 1);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = numbers.number(at[i], text[i + n - 1]);
      sorted = at;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i)
        if (i > 0 && sorted[i] == sorted[i - 1])
          ++counts_.back().times;
        else
          counts_.push_back({sorted[i], 1});
      begins_.push_back(counts_.size());
    }
  }
  times_.resize(numbers.size());
}

void NgramTable::match_all(std::size_t text, std::vector<std::int64_t>& matches) {
  matches.assign(texts() * max_order_, 0);
  const auto mark = [&](bool present) {
    for (std::size_t n = 1; n <= max_order_; ++n)
      for (const auto& count : counts(text, n)) times_[count.ngram] = present ? count.times : 0;
  };
  mark(true);
  for (std::size_t other = 0; other < texts(); ++other)
    for (std::size_t n = 1; n <= max_order_; ++n) {
      std::uint32_t both = 0;
      for (const auto& count : counts(other, n)) both += std::min(times_[count.ngram], count.times);
      matches[other * max_order_ + n - 1] = both;
    }
  mark(false);
}

}  // namespace dragoman
