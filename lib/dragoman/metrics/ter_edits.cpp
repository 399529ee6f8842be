#include "dragoman/metrics/ter_edits.h"

#include "dragoman/metrics/edit_distance.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace dragoman {

namespace {

// Tercom's limits; scores depend on them.
constexpr std::int64_t longest_move = 50;       // words
constexpr std::int64_t longest_block = 10;      // words
constexpr std::int64_t most_candidates = 1000;  // per segment

/// Words `from` .. `from + length` of the hypothesis, moved before word `to`.
struct Shift {
  std::int64_t from;
  std::int64_t length;
  std::int64_t to;
};

std::u32string apply(std::u32string_view words, const Shift& shift) {
  const auto part = [words](std::int64_t begin, std::int64_t end) {
    const auto size = static_cast<std::int64_t>(words.size());
    begin = std::min(begin, size);
    end = std::min(end, size);
    return words.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  const auto size = static_cast<std::int64_t>(words.size());
  const auto [from, length, to] = shift;
  const auto end = from + length;
  std::u32string moved;
  moved.reserve(words.size());
  if (to < from) {
    moved.append(part(0, to))
        .append(part(from, end))
        .append(part(to, from))
        .append(part(end, size));
  } else {
    const auto after = to > end ? to : to + length;
    moved.append(part(0, from)).append(part(end, after)).append(part(from, end));
    moved.append(part(after, size));
  }
  return moved;
}

/// One round: tries all shifts of the current hypothesis and keeps the best.
class ShiftSearch {
 public:
  ShiftSearch(std::u32string_view hypothesis, std::u32string_view reference, EditDistance& distance,
              std::int64_t& candidates)
      : hypothesis_(hypothesis),
        reference_(reference),
        distance_(distance),
        candidates_(candidates),
        before_(distance.set_hypothesis(hypothesis)),
        alignment_(distance.alignment()) {
    run();
  }

  std::int64_t distance_before() const { return before_; }
  bool gains() const { return gain_ > 0; }
  const std::u32string& best() const { return best_; }

 private:
  void run() {
    const auto n = static_cast<std::int64_t>(hypothesis_.size());
    const auto m = static_cast<std::int64_t>(reference_.size());
    for (std::int64_t a = 0; a < n; ++a) {
      const auto last = std::min(m - 1, a + longest_move);
      for (std::int64_t b = std::max<std::int64_t>(0, a - longest_move); b <= last; ++b) {
        const auto longest = std::min({longest_block, n - a, m - b});
        for (std::int64_t l = 1; l <= longest && word(a + l - 1) == goal(b + l - 1); ++l) {
          if (!may_move(a, b, l)) continue;
          try_targets(a, b, l);
          if (candidates_ >= most_candidates) return;
        }
      }
    }
  }

  char32_t word(std::int64_t at) const { return hypothesis_[static_cast<std::size_t>(at)]; }
  char32_t goal(std::int64_t at) const { return reference_[static_cast<std::size_t>(at)]; }
  std::int64_t link(std::int64_t at) const { return alignment_.link[static_cast<std::size_t>(at)]; }

  /// Only blocks with errors on both sides that are not already in place.
  bool may_move(std::int64_t a, std::int64_t b, std::int64_t l) const {
    const auto any = [l](const std::vector<char>& errors, std::int64_t start) {
      return std::any_of(errors.begin() + start, errors.begin() + start + l,
                         [](char error) { return error != 0; });
    };
    return any(alignment_.hypothesis_error, a) && any(alignment_.reference_error, b) &&
           (link(b) < a || link(b) >= a + l);
  }

  void try_targets(std::int64_t a, std::int64_t b, std::int64_t l) {
    std::int64_t previous = -1;
    for (std::int64_t at = b - 1; at < b + l; ++at) {
      const auto target = at < 0 ? 0 : link(at) + 1;
      if (target == previous) continue;
      previous = target;
      try_shift({a, l, target});
    }
  }

  void try_shift(const Shift& shift) {
    ++candidates_;
    auto moved = apply(hypothesis_, shift);
    const auto gain = before_ - distance_.distance_of(moved);
    const auto key = std::tuple(gain, shift.length, -shift.from, -shift.to);
    if (!best_.empty() && key <= std::tuple(gain_, shift_.length, -shift_.from, -shift_.to)) return;
    gain_ = gain;
    shift_ = shift;
    best_ = std::move(moved);
  }

  std::u32string_view hypothesis_;
  std::u32string_view reference_;
  EditDistance& distance_;
  std::int64_t& candidates_;
  std::int64_t before_;
  WordAlignment alignment_;
  std::int64_t gain_ = 0;
  Shift shift_{};
  std::u32string best_;
};

}  // namespace

std::int64_t translation_edits(std::u32string_view hypothesis, std::u32string_view reference) {
  if (reference.empty()) return static_cast<std::int64_t>(hypothesis.size());
  EditDistance distance(reference, hypothesis.size());
  std::u32string words(hypothesis);
  std::int64_t shifts = 0;
  std::int64_t candidates = 0;
  for (;;) {
    const ShiftSearch search(words, reference, distance, candidates);
    if (candidates >= most_candidates || !search.gains()) return shifts + search.distance_before();
    words = search.best();
    ++shifts;
  }
}

}  // namespace dragoman
