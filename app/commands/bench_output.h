#pragma once

#include "commands/text_files.h"

#include "dragoman/core/file.h"
#include "dragoman/report/svg_plot.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>

namespace dragoman::app {

/// How a measurement is printed: as a table or as JSON, and as a plot if one is requested.
struct BenchOutput {
  bool json = false;
  std::string plot;

  void add_options(CLI::App& sub) {
    sub.add_flag("--json", json, "One JSON object instead of a table");
    sub.add_option("--plot", plot, "Also plot the measurement to this SVG file")->check(a_file());
  }

  /// \param result has text() and json()
  /// \param drawn makes its Plot; called if one is requested
  template <typename Result, typename Draw>
  void print(const Result& result, const Draw& drawn) const {
    std::cout << (json ? result.json().dump(2) + '\n' : result.text());
    if (!plot.empty()) write_file_atomically(plot, svg_plot(drawn()));
  }

  /// \param result has text(), json() and plot()
  template <typename Result>
  void print(const Result& result) const {
    print(result, [&] { return result.plot(); });
  }
};

}  // namespace dragoman::app
