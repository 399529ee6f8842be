#include "dragoman/experiment/write_report.h"

#include "dragoman/core/file.h"
#include "dragoman/experiment/kept_results.h"
#include "dragoman/experiment/report_page.h"
#include "dragoman/experiment/report_text.h"

namespace dragoman {

void write_report(const std::filesystem::path& folder, const std::vector<JudgedResult>& results,
                  const ReportFacts& facts) {
  // All before any is written, so that they belong together.
  const auto json = results_json(results, facts).dump() + '\n';
  const auto markdown = report_markdown(results, facts), page = report_page(results, facts);
  make_folder(folder);
  write_file_atomically(folder / results_file, json);
  write_file_atomically(folder / "REPORT.md", markdown);
  write_file_atomically(folder / report_file, page);
}

}  // namespace dragoman
