#pragma once

#include "dragoman/core/descriptor.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// Writes scalars and texts as a TensorBoard event file: records framed as TFRecord (length, masked
/// CRC-32C, data, masked CRC-32C), each an `Event` message in protocol buffer encoding.
class TensorBoard {
 public:
  /// Begins a new file in `folder` (created if missing) that sorts after the files there.
  /// \param first_step the first step that will be written; readers drop what earlier files hold
  ///     from this step on, so that a resumed run shows no step twice
  /// \throws DataError if it cannot be written.
  TensorBoard(const std::filesystem::path& folder, std::int64_t first_step);

  /// Adds one point to each of the named curves ("loss"); it is with the system when this
  /// returns. \throws DataError if it cannot be written.
  void write(std::int64_t step, const std::vector<std::pair<std::string, double>>& scalars);

  /// Adds a text, which the page shows as Markdown. \throws DataError if it cannot be written.
  void write_text(std::int64_t step, const std::string& tag, const std::string& markdown);

  const std::filesystem::path& path() const { return path_; }

 private:
  void write_summary(std::int64_t step, const std::string& summary) const;
  void append(const std::string& event) const;

  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace dragoman
