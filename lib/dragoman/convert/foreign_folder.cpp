#include "dragoman/convert/foreign_folder.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"
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

std::string with_other_name(std::string message, const std::string& name,
                            const std::string& other) {
  for (auto at = message.find(name); at != message.npos; at = message.find(name, at + other.size()))
    message.replace(at, name.size(), other);
  return message;
}

}  // namespace

Checkpoint naming_origin(const fs::path& folder, const ImportedRun& run,
                         const std::function<Checkpoint()>& read) {
  if (run.origin.empty() || run.origin == folder) return read();
  const auto renamed = [&](const Error& error) {
    return with_other_name(error.what(), folder.string(), run.origin.string());
  };
  try {
    return read();
  } catch (const SystemError& error) {
    throw SystemError(renamed(error), error.error_number());
  } catch (const FormatError& error) {
    throw FormatError(renamed(error));
  } catch (const OptionsError& error) {
    throw OptionsError(renamed(error));
  } catch (const DataError& error) {
    throw DataError(renamed(error));
  }
}

ForeignFolder::ForeignFolder(const fs::path& model, const fs::path& run_dir) : path_(model) {
  if (!is_archive(model)) return;
  expect_empty_folder(run_dir);
  auto beside = fs::absolute(run_dir).lexically_normal();  // "." has a name then
  if (!beside.has_filename()) beside = beside.parent_path();
  path_ = beside.string() + concat(".tmp-", ::getpid());
  unpacked_.emplace(path_);
  unzip(model, path_);
}

}  // namespace dragoman
