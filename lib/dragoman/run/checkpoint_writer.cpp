#include "dragoman/run/checkpoint_writer.h"

#include "dragoman/core/file.h"
#include "dragoman/storage/sha256.h"

#include <utility>

namespace dragoman {

CheckpointWriter::CheckpointWriter(std::filesystem::path folder, std::int64_t step)
    : folder_(std::move(folder)) {
  manifest_.step = step;
}

void CheckpointWriter::write(std::string_view name, const std::vector<std::string_view>& parts) {
  write_new_file(folder_ / name, parts);
  Manifest::File file;
  Sha256 hash;
  for (const auto part : parts) {
    file.size += static_cast<std::int64_t>(part.size());
    hash.update(part);
  }
  file.sha256 = hash.hex_digest();
  manifest_.files[std::string(name)] = file;
}

void CheckpointWriter::finish() {
  write_new_file(folder_ / manifest_file, manifest_.to_text());
  sync_directory(folder_);
}

}  // namespace dragoman
