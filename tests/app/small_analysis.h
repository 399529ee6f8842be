#pragma once

#include "app/small_run.h"

#include <filesystem>
#include <string>
#include <vector>

/// Analyses of `test::small_run` with the text that it was trained on.
namespace small_analysis {

inline std::filesystem::path analyzed_folder() { return test::small_run().parent_path(); }

inline std::vector<std::string> analyze(const std::string& what,
                                        const std::vector<std::string>& more) {
  return test::with({"analyze", what, "-m", test::small_run().string()}, more);
}

inline std::vector<std::string> with_letters(const std::vector<std::string>& more) {
  return test::with({"--source", (analyzed_folder() / "a.src").string(), "--target",
                     (analyzed_folder() / "a.tgt").string(), "--limit", "20"},
                    more);
}

inline bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace small_analysis
