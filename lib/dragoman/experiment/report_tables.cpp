#include "dragoman/experiment/report_tables.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/experiment/measures.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace dragoman {

namespace {

constexpr const char* nothing = "–";
constexpr const char* deviation_caption = "Mean ± standard deviation over seeds";

std::string mean_and_deviation(const Sample& sample, int digits) {
  if (sample.count == 0) return nothing;
  auto text = measured_number(sample.mean, digits);
  if (sample.count > 1 && sample.standard_deviation > 0.0)
    text += " ± " + measured_number(sample.standard_deviation, digits);
  return text;
}

/// The columns of the table of variants: times only if a variant has any.
std::vector<std::string> shown_columns(const ExperimentResult& result) {
  auto columns = result.experiment.columns;
  std::erase_if(columns, [&](const std::string& column) {
    return measure_named(column).error == ErrorSource::timing &&
           std::ranges::none_of(result.experiment.variants, [&](const Variant& variant) {
             return result.shown_sample(variant.name, column).count > 0;
           });
  });
  return columns;
}

std::vector<std::string> row_of(const ExperimentResult& result, const Variant& variant,
                                const std::vector<std::string>& columns) {
  const auto done = result.of_variant(variant.name);
  std::vector<std::string> row = {variant.name, std::to_string(done.size())};
  if (const auto diverged = result.divergence(variant.name).diverged; diverged > 0)
    row.back() += concat(", ", diverged, " diverged");
  for (const auto& column : columns)
    row.push_back(mean_and_deviation(result.shown_sample(variant.name, column),
                                     measure_named(column).digits));
  return row;
}

bool has_figure(const Experiment& experiment, FigureKind kind) {
  return std::any_of(experiment.figures.begin(), experiment.figures.end(),
                     [kind](const Figure& figure) { return figure.kind == kind; });
}

/// The limits of a bucket: its first and last length.
using LengthRange = std::pair<std::int64_t, std::int64_t>;

/// The ranges of all trials, ascending, each with the numbers of sentences that the trials have in
/// it: several if their pieces differ.
std::map<LengthRange, std::set<std::int64_t>> length_ranges(const ExperimentResult& result) {
  std::map<LengthRange, std::set<std::int64_t>> ranges;
  for (const auto& trial : result.trials)
    for (const auto& bucket : trial.record.lengths) {
      auto& sentences = ranges[{bucket.first, bucket.last}];
      if (bucket.sentences > 0) sentences.insert(bucket.sentences);
    }
  return ranges;
}

std::string sentences_text(const std::set<std::int64_t>& numbers) {
  if (numbers.empty()) return " (0 sentences)";
  const auto least = *numbers.begin(), most = *numbers.rbegin();
  return least == most ? concat(" (", counted(most, "sentence"), ')')
                       : concat(" (", least, " to ", counted(most, "sentence"), ')');
}

std::string range_text(const LengthRange& range) {
  return range.second > 0 ? concat(range.first, " to ", range.second)
                          : concat(range.first, " and more");
}

/// One range of the trials of a variant. \param has_count it tells its number of sentences
std::string range_cell(const std::vector<const Trial*>& trials, const LengthRange& range,
                       bool has_count) {
  std::vector<double> bleu, nll;
  std::set<std::int64_t> sentences;
  for (const auto* trial : trials) {
    const auto& buckets = trial->record.lengths;
    const auto measured = std::ranges::find_if(buckets, [&](const LengthBucket& bucket) {
      return LengthRange{bucket.first, bucket.last} == range;
    });
    if (measured == buckets.end() || measured->sentences == 0) return nothing;
    bleu.push_back(measured->bleu);
    nll.push_back(measured->nll);
    sentences.insert(measured->sentences);
  }
  return concat(decimal(sample_of(bleu).mean, 1), " / ", decimal(sample_of(nll).mean, 2),
                has_count ? sentences_text(sentences) : std::string());
}

std::string reliability_cell(const std::vector<const Trial*>& trials, std::size_t bin) {
  std::int64_t count = 0;
  double right = 0.0;
  for (const auto* trial : trials) {
    if (bin >= trial->record.reliability.size()) return nothing;
    const auto& measured = trial->record.reliability[bin];
    count += measured.count;
    right += measured.accuracy * static_cast<double>(measured.count);
  }
  if (count == 0) return nothing;
  return concat(decimal(right / static_cast<double>(count), 3), " (", count, ")");
}

/// The lines of one length that a variant's trials answer exactly: "0.985 ± 0.012 (50 lines)".
std::string answers_cell(const std::vector<const Trial*>& trials, std::int64_t length) {
  std::vector<double> right;
  std::int64_t lines = 0;
  for (const auto* trial : trials)
    for (const auto& each : trial->record.answers)
      if (each.length == length) {
        right.push_back(each.right);
        lines = each.lines;
      }
  if (right.empty()) return nothing;
  return concat(mean_and_deviation(sample_of(right), 3), " (", counted(lines, "line"), ')');
}

using CellOfPart = std::function<std::string(const std::vector<const Trial*>&, std::size_t)>;

/// Variants as columns, one row per part of a record.
ReportTable table_by_part(const ExperimentResult& result, const std::string& first_heading,
                          const std::vector<std::string>& parts, const CellOfPart& cell) {
  ReportTable table{.headings = {first_heading}, .rows = {}};
  for (const auto& part : parts) table.rows.push_back({part});
  for (const auto& variant : result.experiment.variants) {
    const auto trials = result.of_variant(variant.name);
    if (trials.empty()) continue;
    table.headings.push_back(variant.name);
    for (std::size_t i = 0; i < parts.size(); ++i) table.rows[i].push_back(cell(trials, i));
  }
  return table;
}

const Trial* first_finished(const ExperimentResult& result) {
  for (const auto& trial : result.trials)
    if (trial.record.failure.empty()) return &trial;
  return nullptr;
}

}  // namespace

ReportTable variants_table(const ExperimentResult& result) {
  ReportTable table{.caption = deviation_caption, .headings = {"variant", "seeds"}, .rows = {}};
  const auto columns = shown_columns(result);
  for (const auto& column : columns) table.headings.emplace_back(measure_named(column).label);
  bool has_times = true;
  for (const auto& variant : result.experiment.variants) {
    table.rows.push_back(row_of(result, variant, columns));
    has_times = has_times && result.has_times(variant.name);
  }
  const auto is_timed = [](const std::string& column) {
    return measure_named(column).error == ErrorSource::timing;
  };
  if (!has_times && std::ranges::any_of(columns, is_timed))
    table.caption += concat("; ", nothing, " for times of several, other or unknown machines");
  return table;
}

ReportTable reliability_table(const ExperimentResult& result) {
  const auto* trial = first_finished(result);
  if (trial == nullptr || !has_figure(result.experiment, FigureKind::reliability)) return {};
  std::vector<std::string> bins;
  for (const auto& bin : trial->record.reliability)
    bins.push_back(concat(decimal(bin.from, 1), " to ", decimal(bin.to, 1)));
  return table_by_part(result, "probability of the best piece: share right (pieces)", bins,
                       reliability_cell);
}

ReportTable lengths_table(const ExperimentResult& result) {
  const auto found = length_ranges(result);
  const bool differ =
      std::ranges::any_of(found, [](const auto& range) { return range.second.size() > 1; });
  std::vector<LengthRange> ranges;
  std::vector<std::string> rows;
  for (const auto& [range, sentences] : found) {
    ranges.push_back(range);
    rows.push_back(range_text(range) + (differ ? "" : sentences_text(sentences)));
  }
  return table_by_part(result, "source pieces: BLEU / loss", rows,
                       [&](const std::vector<const Trial*>& trials, std::size_t row) {
                         return range_cell(trials, ranges[row], differ);
                       });
}

ReportTable answers_table(const ExperimentResult& result) {
  std::set<std::int64_t> lengths;
  for (const auto& trial : result.trials)
    for (const auto& each : trial.record.answers) lengths.insert(each.length);
  ReportTable table{.caption = deviation_caption, .headings = {"length"}, .rows = {}};
  for (const auto length : lengths) table.rows.push_back({std::to_string(length)});
  for (const auto& variant : result.experiment.variants) {
    const auto trials = result.of_variant(variant.name);
    if (trials.empty() || lengths.empty()) continue;
    table.headings.push_back(variant.name + ": answered exactly");
    std::size_t row = 0;
    for (const auto length : lengths) table.rows[row++].push_back(answers_cell(trials, length));
  }
  return table;
}

ReportTable overview_table(const std::vector<JudgedResult>& results) {
  ReportTable table{.headings = {"claim", "experiment", "verdict"}, .rows = {}};
  for (const auto& result : results)
    for (const auto& judgement : result.judgements)
      table.rows.push_back(
          {judgement.claim.says, result.experiment.name, name_of(judgement.verdict)});
  return table;
}

}  // namespace dragoman
