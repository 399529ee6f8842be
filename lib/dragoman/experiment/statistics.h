#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace dragoman {

/// Values of one measure over the seeds of a variant.
struct Sample {
  std::int64_t count = 0;
  double mean = 0.0;
  double standard_deviation = 0.0;  ///< of n - 1 degrees of freedom; 0 for a single value
};

Sample sample_of(std::span<const double> values);

/// The squared standard error of an estimate, or one of its independent parts.
struct ErrorPart {
  double variance = 0.0;
  double degrees_of_freedom = 0.0;  ///< of `variance`
};

/// The part that seeds have in the error of a mean. \throws ContractError below two values
ErrorPart error_of_mean(const Sample& sample);

/// The error of a sum of independent parts, with the degrees of freedom of Welch and Satterthwaite.
ErrorPart sum_of(std::span<const ErrorPart> parts);

constexpr std::size_t jackknife_groups = 20;

/// The measure of a text without each of `jackknife_groups` groups of lines in turn; line i belongs
/// to group i % jackknife_groups. Lines of a text that was drawn with fixed shares of lengths are
/// to be in the order of their lengths, so that every group has the same shares.
/// \param measure called with ascending numbers of lines
/// \return empty if there are fewer lines than groups
std::vector<double> leave_out_groups(
    std::size_t lines, const std::function<double(const std::vector<std::size_t>&)>& measure);

/// The part that the choice of the test text's lines has in the error of a measure: the
/// delete-a-group jackknife. \param replicates the measure without each group
ErrorPart jackknife_error(std::span<const double> replicates);

/// A share of test lines with two counted and two not counted lines more: what Agresti and Coull
/// (1998) take as its estimate, so that 1 of a few lines is not the same as 1 of many.
/// \param share of the lines, 0 to 1 \throws ContractError without lines
double estimated_share(double share, std::int64_t lines);

/// The part that the choice of `lines` test lines has in the error of `estimated_share`: above 0
/// even if all lines, or none, have been counted.
ErrorPart share_error(double share, std::int64_t lines);

/// Training runs of a variant, and those of them whose loss was no longer finite.
struct Divergence {
  std::int64_t diverged = 0, trained = 0;
};

/// The two-sided p-value of Fisher's exact test on diverged training runs: the probability of all
/// divisions of them that are at most as probable as this one; 1 for equal shares, or if one of the
/// two has no training runs.
double fisher_exact(const Divergence& a, const Divergence& b);

/// The probability that Student's t exceeds `t`. \param nu degrees of freedom, above 0
double student_t_tail(double t, double nu);

/// The 0.975 quantile of Student's t distribution. \param nu degrees of freedom, above 0
double student_t(double nu);

/// p-values adjusted for their number by Holm's step-down method (1979): those below 0.05 may be
/// relied on together. In the order given.
std::vector<double> holm(std::vector<double> p_values);

}  // namespace dragoman
