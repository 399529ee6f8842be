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

  /// \param result has text() and json()
  /// \param drawn makes its Plot; called if one is requested
  template <typename Result, typename Draw>
  void print(const Result& result, const Draw& drawn) const {
    if (json)
      print_record(result.json());
    else
      std::cout << result.text();
    if (!plot.empty()) write_file_atomically(plot, svg_plot(drawn()));
  }

  /// \param result has text(), json() and plot()
  template <typename Result>
  void print(const Result& result) const {
    print(result, [&] { return result.plot(); });
  }
};

}  // namespace dragoman::app
