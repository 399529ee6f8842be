#include "dragoman/metrics/edit_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dragoman {

namespace {

constexpr std::int32_t unreachable = 1 << 29;
constexpr double narrowest_band = 25.0;

}  // namespace

EditDistance::EditDistance(std::u32string_view reference, std::size_t hypothesis_len)
    : reference_(reference),
      rows_(hypothesis_len + 1),
      columns_(reference.size() + 1),
      slope_(hypothesis_len == 0
                 ? 1.0
                 : static_cast<double>(reference.size()) / static_cast<double>(hypothesis_len)),
      width_(static_cast<std::size_t>(
          slope_ / 2 > narrowest_band ? std::ceil(slope_ / 2 + narrowest_band) : narrowest_band)),
      costs_(rows_ * columns_, unreachable),
      edits_(rows_ * columns_, Edit::none),
      other_(2 * columns_),
      unused_(columns_) {
  std::iota(costs_.begin(), costs_.begin() + static_cast<std::ptrdiff_t>(columns_), 0);
  std::fill_n(edits_.begin(), columns_, Edit::insert);
}

EditDistance::Band EditDistance::band(std::size_t row) const {
  const auto diagonal = static_cast<std::size_t>(static_cast<double>(row) * slope_);
  const auto end = row + 1 == rows_ ? columns_ : std::min(columns_, diagonal + width_);
  return {diagonal > width_ ? diagonal - width_ : 0, end};
}

// Ties are broken in the order keep or substitute, remove, insert; alignments depend on it.
void EditDistance::fill_row(std::size_t row, char32_t word, const Cost* above, Cost* costs,
                            Edit* edits) const {
  const auto [begin, end] = band(row);
  std::fill_n(costs, columns_, unreachable);
  for (std::size_t j = begin; j < end; ++j) {
    Cost best = unreachable;
    Edit edit = Edit::none;
    const auto offer = [&](Cost cost, Edit candidate) {
      if (cost < best) best = cost, edit = candidate;
    };
    if (j > 0) {
      const bool same = word == reference_[j - 1];
      offer(above[j - 1] + (same ? 0 : 1), same ? Edit::keep : Edit::substitute);
    }
    offer(above[j] + 1, Edit::remove);
    if (j > 0) offer(costs[j - 1] + 1, Edit::insert);
    costs[j] = best;
    edits[j] = edit;
  }
}

std::int64_t EditDistance::set_hypothesis(std::u32string_view hypothesis) {
  hypothesis_ = hypothesis;
  for (std::size_t row = 1; row < rows_; ++row) {
    const auto at = row * columns_;
    fill_row(row, hypothesis_[row - 1], &costs_[at - columns_], &costs_[at], &edits_[at]);
  }
  return costs_.back();
}

std::int64_t EditDistance::distance_of(std::u32string_view other) {
  const auto start = std::mismatch(other.begin(), other.end(), hypothesis_.begin()).first;
  const auto shared = static_cast<std::size_t>(start - other.begin());
  const Cost* above = &costs_[shared * columns_];
  for (std::size_t row = shared + 1; row < rows_; ++row) {
    Cost* costs = &other_[(row % 2) * columns_];
    fill_row(row, other[row - 1], above, costs, unused_.data());
    above = costs;
  }
  return above[columns_ - 1];
}

WordAlignment EditDistance::alignment() const {
  std::vector<Edit> path;
  for (std::size_t row = rows_ - 1, column = columns_ - 1; row > 0 || column > 0;) {
    const Edit edit = edits_[row * columns_ + column];
    path.push_back(edit);
    if (edit != Edit::insert) --row;
    if (edit != Edit::remove) --column;
  }
  WordAlignment alignment{std::vector<std::int64_t>(columns_ - 1), std::vector<char>(rows_ - 1, 0),
                          std::vector<char>(columns_ - 1, 0)};
  std::size_t in_hypothesis = 0;
  std::size_t in_reference = 0;
  for (auto edit = path.rbegin(); edit != path.rend(); ++edit) {
    const char error = *edit == Edit::keep ? 0 : 1;
    if (*edit != Edit::insert) alignment.hypothesis_error[in_hypothesis++] = error;
    if (*edit == Edit::remove) continue;
    alignment.link[in_reference] = static_cast<std::int64_t>(in_hypothesis) - 1;
    alignment.reference_error[in_reference++] = error;
  }
  return alignment;
}

}  // namespace dragoman
