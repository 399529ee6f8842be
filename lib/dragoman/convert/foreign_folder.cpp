#include "dragoman/convert/foreign_folder.h"

#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/unzip.h"
#include "dragoman/storage/zip_file.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

bool is_archive(const fs::path& file) {
  if (!fs::is_regular_file(file)) return false;
  std::array<char, 4> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  return is_zip({begin.data(), begin.size()});
}

}  // namespace

ForeignFolder::ForeignFolder(const fs::path& model, const fs::path& run_dir) : path_(model) {
  if (!is_archive(model)) return;
  expect_empty_folder(run_dir);
  const auto beside = run_dir.has_filename() ? run_dir : run_dir.parent_path();
  path_ = beside.string() + concat(".tmp-", ::getpid());
  unpacked_.emplace(path_);
  unzip(model, path_);
}

}  // namespace dragoman
