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
      stride_(rows_ == 1 ? columns_ + 1
                         : 2 * width_ + static_cast<std::size_t>(std::ceil(slope_)) + 4),
      costs_(rows_ * stride_, unreachable),
      edits_(rows_ * stride_, Edit::none),
      other_(2 * stride_, unreachable),
      unused_(stride_) {
  const auto first = std::min(columns_, stride_ - 1);
  std::iota(costs_.begin() + 1, costs_.begin() + 1 + static_cast<std::ptrdiff_t>(first), 0);
  std::fill_n(edits_.begin() + 1, first, Edit::insert);
}

EditDistance::Band EditDistance::band(std::size_t row) const {
  const auto diagonal = static_cast<std::size_t>(static_cast<double>(row) * slope_);
  const auto end = row + 1 == rows_ ? columns_ : std::min(columns_, diagonal + width_);
  return {diagonal > width_ ? diagonal - width_ : 0, end};
}

std::size_t EditDistance::place(std::size_t row, std::size_t column) const {
  return row * stride_ + 1 + column - band(row).begin;
}

// Ties are broken in the order keep or substitute, remove, insert; alignments depend on it.
void EditDistance::fill_row(std::size_t row, char32_t word, const Cost* above, Cost* costs,
                            Edit* edits) const {
  const auto [begin, end] = band(row);
  const auto advance = begin - band(row - 1).begin;
  above += advance;
  for (std::size_t j = begin; j < end; ++j) {
    const auto at = j - begin + 1;
    Cost best = unreachable;
    Edit edit = Edit::none;
    const auto offer = [&](Cost cost, Edit candidate) {
      if (cost < best) best = cost, edit = candidate;
    };
    if (j > 0) {
      const bool same = word == reference_[j - 1];
      offer(above[at - 1] + (same ? 0 : 1), same ? Edit::keep : Edit::substitute);
    }
    offer(above[at] + 1, Edit::remove);
    if (j > 0) offer(costs[at - 1] + 1, Edit::insert);
    costs[at] = best;
    edits[at] = edit;
  }
  // `other_` holds rows of other bands, too, so the cells that the next row reads after this band
  // are cleared.
  std::fill(costs + (end - begin) + 1, costs + stride_, unreachable);
}

std::int64_t EditDistance::set_hypothesis(std::u32string_view hypothesis) {
  hypothesis_ = hypothesis;
  for (std::size_t row = 1; row < rows_; ++row) {
    const auto at = row * stride_;
    fill_row(row, hypothesis_[row - 1], &costs_[at - stride_], &costs_[at], &edits_[at]);
  }
  return costs_[place(rows_ - 1, columns_ - 1)];
}

std::int64_t EditDistance::distance_of(std::u32string_view other) {
  const auto start = std::mismatch(other.begin(), other.end(), hypothesis_.begin()).first;
  const auto shared = static_cast<std::size_t>(start - other.begin());
  const Cost* above = &costs_[shared * stride_];
  for (std::size_t row = shared + 1; row < rows_; ++row) {
    Cost* costs = &other_[(row % 2) * stride_];
    fill_row(row, other[row - 1], above, costs, unused_.data());
    above = costs;
  }
  return above[columns_ - band(rows_ - 1).begin];
}

WordAlignment EditDistance::alignment() const {
  std::vector<Edit> path;
  for (std::size_t row = rows_ - 1, column = columns_ - 1; row > 0 || column > 0;) {
    const Edit edit = edits_[place(row, column)];
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
