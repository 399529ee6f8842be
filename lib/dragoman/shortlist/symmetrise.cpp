#include "dragoman/shortlist/symmetrise.h"

#include <array>
#include <cstddef>

namespace dragoman {

namespace {

/// The points of a sentence pair while they grow.
class Points {
 public:
  Points(std::span<const std::int32_t> source_of, std::span<const std::int32_t> target_of)
      : source_of_(source_of),
        target_of_(target_of),
        source_has_(target_of.size()),
        target_has_(source_of.size()) {}

  std::vector<AlignedPositions> grow() && {
    for (std::size_t t = 0; t < source_of_.size(); ++t)
      for (std::size_t s = 0; s < target_of_.size(); ++s)
        if (is_forward(s, t) && is_backward(s, t)) add(s, t);
    // Points that are added grow in turn: they are at the end of the list.
    for (std::size_t i = 0; i < points_.size(); ++i) grow_around(points_[i]);
    for (std::size_t t = 0; t < source_of_.size(); ++t)
      if (source_of_[t] >= 0) add_if_alone(static_cast<std::size_t>(source_of_[t]), t);
    for (std::size_t s = 0; s < target_of_.size(); ++s)
      if (target_of_[s] >= 0) add_if_alone(s, static_cast<std::size_t>(target_of_[s]));
    return std::move(points_);
  }

 private:
  bool is_forward(std::size_t s, std::size_t t) const {
    return source_of_[t] == static_cast<std::int32_t>(s);
  }
  bool is_backward(std::size_t s, std::size_t t) const {
    return target_of_[s] == static_cast<std::int32_t>(t);
  }

  void add(std::size_t s, std::size_t t) {
    points_.emplace_back(s, t);
    source_has_[s] = target_has_[t] = true;
  }

  void add_if_alone(std::size_t s, std::size_t t) {
    if (!source_has_[s] && !target_has_[t]) add(s, t);
  }

  void grow_around(AlignedPositions point) {
    constexpr std::array<std::pair<int, int>, 8> neighbours{
        {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}};
    for (const auto& [ds, dt] : neighbours) {
      const auto s = point.first + static_cast<std::size_t>(ds);  // may wrap to beyond the end
      const auto t = point.second + static_cast<std::size_t>(dt);
      if (s >= target_of_.size() || t >= source_of_.size()) continue;
      if (source_has_[s] && target_has_[t]) continue;
      if (is_forward(s, t) || is_backward(s, t)) add(s, t);
    }
  }

  std::span<const std::int32_t> source_of_, target_of_;
  std::vector<bool> source_has_, target_has_;
  std::vector<AlignedPositions> points_;
};

}  // namespace

std::vector<AlignedPositions> grow_diag_final_and(std::span<const std::int32_t> source_of,
                                                  std::span<const std::int32_t> target_of) {
  return Points(source_of, target_of).grow();
}

}  // namespace dragoman
