#include "dragoman/corpus/text_identity.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/corpus/parallel_text.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// When the system last noted a change of the file, which no program can set back; 0 if unknown.
std::int64_t changed_at(const std::string& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return 0;
  return facts.st_ctim.tv_sec * 1'000'000'000 + facts.st_ctim.tv_nsec;
}

/// Name, size and times of each file.
nlohmann::json stamps_of(std::span<const std::string> files) {
  auto stamps = nlohmann::json::array();
  for (const auto& file : files) {
    expect_regular(file);
    std::error_code missing;  // reported when it is opened
    const auto bytes = fs::file_size(file, missing);
    const auto modified = fs::last_write_time(file, missing).time_since_epoch().count();
    stamps.push_back(
        {{"file", file}, {"bytes", bytes}, {"modified", modified}, {"changed", changed_at(file)}});
  }
  return stamps;
}

/// The stamps of both sides, as stored in the record.
nlohmann::json stamps_of(std::span<const std::string> sources,
                         std::span<const std::string> targets) {
  return {{"source", stamps_of(sources)}, {"target", stamps_of(targets)}};
}

/// The recorded identity of files with these stamps, if any.
std::optional<TextIdentity> recorded(const fs::path& record, const nlohmann::json& files) {
  try {
    const auto known = nlohmann::json::parse(read_regular_file(record));
    if (known.at("files") != files) return std::nullopt;
    return known.at("text").get<TextIdentity>();
  } catch (const std::exception& error) {
    log_debug(concat(record.string(), ": not used: ", error.what()));
    return std::nullopt;
  }
}

TextIdentity read_identity(std::span<const std::string> sources,
                           std::span<const std::string> targets) {
  TextIdentity identity;
  TextHash hash;
  ParallelText text(sources, targets);
  Progress progress("reading the training text", "pairs", 0);
  while (text.next_file()) {
    const auto before = text.pairs();
    for (auto block = text.next_block(); !block.empty(); block = text.next_block()) {
      for (const auto& pair : block) hash.update(pair);
      progress.show(text.pairs());
    }
    identity.pairs.push_back(text.pairs() - before);
  }
  progress.finish();
  identity.sha256 = hash.hex_digest();
  return identity;
}

}  // namespace

void expect_regular(const std::string& file) {
  std::error_code unknown;  // reported when it is opened
  const auto status = fs::status(file, unknown);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
    throw DataError(concat(file,
                           ": is not a regular file, but a training that resumes reads its texts "
                           "again; save it as a file"));
}

void TextHash::update(const LinePair& pair) {
  for (const auto* side : {&pair.source, &pair.target}) {
    hash_.update(*side);
    hash_.update("\n");
  }
}

TextIdentity read_text_identity(std::span<const std::string> sources,
                                std::span<const std::string> targets, const fs::path& record) {
  const auto known = recorded(record, stamps_of(sources, targets));
  return known ? *known : read_identity(sources, targets);
}

TextIdentity identify_text(std::span<const std::string> sources,
                           std::span<const std::string> targets, const fs::path& record) {
  const auto files = stamps_of(sources, targets);
  if (const auto known = recorded(record, files)) return *known;
  const auto identity = read_identity(sources, targets);
  const nlohmann::json found{{"files", files}, {"text", identity}};
  const bool is_read_only = ::access(record.parent_path().c_str(), W_OK) != 0;
  if (!is_read_only) write_file_atomically(record, found.dump(1) + '\n');
  return identity;
}

}  // namespace dragoman
