#pragma once

#include "dragoman/experiment/results.h"
#include "dragoman/experiment/verdict.h"

#include <string>
#include <vector>

namespace dragoman {

/// A table of a report; each row has one cell per heading.
struct ReportTable {
  std::string caption = {};  ///< what the cells hold
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

/// One row per variant, with the experiment's columns: "21.30 ± 0.12", mean and standard
/// deviation over the seeds.
ReportTable variants_table(const ExperimentResult& result);

/// How often the best piece is correct, by its probability, for each variant: "0.74 (1,203)". Empty
/// unless the experiment has such a figure.
ReportTable reliability_table(const ExperimentResult& result);

/// BLEU and loss by length of the source, for each variant: the number of sentences is in the
/// heading of the row or, where the pieces of the variants differ, in each cell. Empty unless
/// measured.
ReportTable lengths_table(const ExperimentResult& result);

/// Lines of a task that are answered exactly, by length, for each variant. Empty unless measured.
ReportTable answers_table(const ExperimentResult& result);

/// Every claim of every experiment: claim, experiment, verdict.
ReportTable overview_table(const std::vector<JudgedResult>& results);

}  // namespace dragoman
