#pragma once

#include "support/catch.h"
#include "support/process.h"
#include "support/skip.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace test {

/// A browser that can run headless, if one is in PATH; otherwise the test is skipped.
inline std::filesystem::path browser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser", "google-chrome", "chrome"})
      if (const auto file = std::filesystem::path(folder) / name; std::filesystem::exists(file))
        return file;
  test::skip("no chromium or google-chrome in PATH");
  return {};
}

/// The document of a page as HTML after its scripts have run.
/// \param address appended to the file name, such as "#view=heat"
inline std::string document_of(const std::filesystem::path& page, const std::string& address,
                               const std::filesystem::path& profile) {
  return run({browser().string(), "--headless", "--no-sandbox", "--disable-gpu",
              "--user-data-dir=" + profile.string(), "--virtual-time-budget=3000", "--dump-dom",
              "file://" + page.string() + address})
      .out;
}

}  // namespace test
