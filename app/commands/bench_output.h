#pragma once

#include "commands/text_files.h"

#include "dragoman/core/file.h"
#include "dragoman/report/svg_plot.h"
#include "version.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <string>

namespace dragoman::app {

/// Prints a measurement as JSON, with what and where it was measured.
inline void print_record(nlohmann::ordered_json record) {
  record["measured_on"] = measured_on();
  std::cout << record.dump(2) << '\n';
}

/// \param result has text() and json()
template <typename Result>
void print_result(const Result& result, bool json) {
  if (json)
    print_record(result.json());
  else
    std::cout << result.text();
}

/// --seconds. \param what is measured for so long: "Measuring time of one row"
inline void add_seconds(CLI::App& sub, double& seconds, const std::string& what) {
  sub.add_option("--seconds", seconds, what)->check(CLI::PositiveNumber)->capture_default_str();
}

/// How a measurement is printed: as a table or as JSON, and as a plot if one is requested.
struct BenchOutput {
  bool json = false;
  std::string plot;

  void add_options(CLI::App& sub) {
    sub.add_flag("--json", json, "One JSON object instead of a table");
    sub.add_option("--plot", plot, "Also plot the measurement to this SVG file")
        ->check(a_file())
        ->check(written_as("svg"));
  }

  /// Before a long measurement. \throws DataError if the plot could not be written
  void expect_place() const { expect_writable(plot); }

  /// \param result has text(), json() and plot()
  template <typename Result>
  void print(const Result& result) const {
    print_result(result, json);
    if (!plot.empty()) write_file_atomically(plot, svg_plot(result.plot()));
  }
};

}  // namespace dragoman::app
