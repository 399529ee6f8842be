#include "dragoman/text/text_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

constexpr const char* dash = "-";  // standard input

/// A path for inspecting the text without consuming any of it.
fs::path path_of(const std::string& name) { return name == dash ? "/dev/stdin" : name; }

}  // namespace

LineReader open_text(const std::string& name, LineUse use) {
  return name == dash ? LineReader::standard_input(use) : LineReader(name, use);
}

bool is_text_file(const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(path_of(name), ignored);
}

std::optional<std::int64_t> count_lines(const std::string& name) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
  const auto path = path_of(name);
  std::error_code failed;
  if (!is_text_file(name) || path.extension() == ".gz" || fs::file_size(path, failed) > most_bytes)
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16);
  std::int64_t line_ends = 0;
  char last = '\n';
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    line_ends += std::count(block.begin(), block.begin() + file.gcount(), '\n');
    last = block[static_cast<std::size_t>(file.gcount()) - 1];
  }
  return line_ends + (last == '\n' ? 0 : 1);
}

}  // namespace dragoman
