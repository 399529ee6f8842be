#include "dragoman/experiment/write_report.h"

#include "dragoman/core/file.h"
#include "dragoman/experiment/report_page.h"
#include "dragoman/experiment/report_text.h"

namespace dragoman {

void write_report(const std::filesystem::path& folder, const std::vector<ExperimentResult>& results,
                  const ReportFacts& facts) {
  std::filesystem::create_directories(folder);
  write_file_atomically(folder / "results.json", results_json(results, facts).dump() + '\n');
  write_file_atomically(folder / "REPORT.md", report_markdown(results, facts));
  write_file_atomically(folder / "report.html", report_page(results, facts));
}

}  // namespace dragoman
