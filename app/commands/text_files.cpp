#include "commands/text_files.h"

#include "dragoman/core/atomic_file.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/output_place.h"
#include "dragoman/core/quantity.h"
#include "dragoman/run/run_files.h"
#include "dragoman/text/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

namespace dragoman::app {

namespace {

constexpr const char* standard_stream = "-";

bool is_standard(const std::string& file) { return file.empty() || file == standard_stream; }

/// Whether a file is the one that an option names, "-" for standard input.
bool is_input(const std::string& file, const std::string& input) {
  struct stat one = {}, other = {};
  if (::stat(file.c_str(), &one) != 0) return false;
  const int found =
      input == standard_stream ? ::fstat(STDIN_FILENO, &other) : ::stat(input.c_str(), &other);
  return found == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// Whether reading the file takes what others would read from standard input. A file that is opened
/// as /dev/stdin is read from its beginning.
bool is_standard_input(const std::string& file) {
  std::error_code error;
  return file == standard_stream || (!file.empty() && is_input(file, standard_stream) &&
                                     !std::filesystem::is_regular_file(file, error));
}

/// \throws OptionsError if the output would take the place of a file of a model
void expect_no_model_file(const std::string& output) {
  if (const auto model = model_around(output); !model.empty())
    throw OptionsError(concat(output, ": is a file of the model ", model.string(),
                              ", and would be overwritten; name another one"));
}

/// \throws OptionsError for a name that this program would read as a compressed file
void expect_plain_name(const std::string& file) {
  if (file.ends_with(".gz"))
    throw OptionsError(concat(file,
                              ": output is not compressed; leave .gz out, or write to "
                              "standard output and pipe it through gzip"));
}

/// Whether writing an output would replace a text. \param input "-" = standard input; empty = none
bool would_overwrite(const std::string& output, const std::string& input) {
  std::error_code missing;
  return !is_standard(output) && !input.empty() &&
         std::filesystem::is_regular_file(output, missing) && is_input(output, input);
}

}  // namespace

std::string text_place(const std::string& file) {
  return is_standard(file) ? "standard input" : file;
}

LineReader open_input(const std::string& file, LineUse use) {
  return open_text(is_standard(file) ? standard_stream : file, use);
}

void ChangedLines::Fault::tell(const Line& line) {
  if (lines++ == 0) first = line.number;
}

void ChangedLines::tell(const Line& line) {
  if (line.had_bad_bytes) bad_bytes_.tell(line);
  if (line.was_cut) cut_.tell(line);
}

void ChangedLines::finish() const {
  warn(bad_bytes_, "with bytes that are not UTF-8, read as U+FFFD");
  warn(cut_, concat("cut at ", max_line_bytes, " bytes"));
}

void ChangedLines::warn(const Fault& fault, const std::string& fact) const {
  if (fault.lines > 0)
    log_warning(concat(place_, ": ", counted(fault.lines, "line"), ' ', fact, " (first: line ",
                       fault.first, ')'));
}

std::vector<std::string> read_input(const std::string& file, LineUse use) {
  auto reader = open_input(file, use);
  ChangedLines changed(reader.place());
  std::vector<std::string> lines;
  while (auto line = reader.next()) {
    changed.tell(*line);
    lines.push_back(std::move(line->text));
  }
  changed.finish();
  return lines;
}

void warn_of_long_texts(std::int64_t count, const std::string& consequence, std::int64_t longest) {
  if (count > 0)
    log_warning(concat(counted(count, "text"), " longer than ", counted(longest, "piece"),
                       " (data.max_length): ", consequence));
}

LineWriter open_output(const std::string& file) {
  expect_plain_name(file);
  expect_no_model_file(file);
  return is_standard(file) ? LineWriter::standard_output() : LineWriter(file);
}

void write_output(const std::string& file, const std::string& text) {
  expect_plain_name(file);
  expect_no_model_file(file);
  if (is_standard(file))
    std::cout << text;
  else
    write_file_atomically(file, text);
}

std::string clean_argument(const std::string& place, const std::string& line) {
  const auto cleaned = clean_line(line);
  if (cleaned.had_bad_bytes) log_warning(place + ": bytes that are not UTF-8 are read as U+FFFD");
  std::error_code ignored;
  if (std::filesystem::is_regular_file(cleaned.text, ignored))
    log_warning(concat(place, ": \"", printable(cleaned.text, 80),
                       "\" is the name of a file, but is read as text"));
  return cleaned.text;
}

CLI::Validator a_file() {
  return {[](std::string& file) -> std::string {
            return file == standard_stream ? "standard output holds the results; name a file" : "";
          },
          ""};
}

bool is_picture(std::string_view ending) {
  constexpr std::array<std::string_view, 9> pictures{".png", ".jpg", ".jpeg", ".gif", ".webp",
                                                     ".pdf", ".eps", ".ps",   ".svg"};
  return std::ranges::find(pictures, ending) != pictures.end();
}

CLI::Validator written_as(const std::string& form) {
  return {[form](std::string& file) -> std::string {
            const auto ending = std::filesystem::path(file).extension().string();
            const bool differs = ending != '.' + form && (ending == ".html" || is_picture(ending));
            return differs ? concat(file, " would hold ", form, "; name it ",
                                    std::filesystem::path(file).replace_extension(form).string())
                           : "";
          },
          ""};
}

CLI::Validator a_folder() {
  return {[](std::string& folder) -> std::string {
            return folder == standard_stream ? "a folder is needed, not standard output; name one"
                                             : "";
          },
          ""};
}

void expect_writable(const std::string& file) {
  expect_plain_name(file);
  expect_no_model_file(file);
  if (std::filesystem::is_directory(file))
    throw DataError(file + ": is a folder; give the name of a file");
  if (!is_standard(file) && !output_place(file).in_place) const AtomicFile trial(file);
}

void expect_readable(const std::string& file) {
  if (file.empty() || file == "-" || ::access(file.c_str(), R_OK) == 0) return;
  throw DataError(concat(file, ": cannot be opened: ", system_error_text(errno)));
}

void expect_other_file(const std::string& output, const std::string& input,
                       const std::string& option) {
  if (would_overwrite(output, input))
    throw OptionsError(
        concat(option, ' ', output,
               ": is a file that is read, and would be overwritten; name another one"));
}

void expect_no_text_of(const std::string& output, const DataOptions& data) {
  const std::vector valid{data.valid_source, data.valid_target};
  for (const auto* files : {&data.train_source, &data.train_target, &valid})
    for (const auto& file : *files)
      if (would_overwrite(output, file))
        throw OptionsError(concat("-o ", output,
                                  ": is a text that the model was trained or validated with, and "
                                  "would be overwritten; name another one"));
}

void expect_one_standard_input(const std::vector<NamedText>& texts) {
  const NamedText* reader = nullptr;
  for (const auto& text : texts) {
    if (!is_standard_input(text.file)) continue;
    if (reader != nullptr)
      throw OptionsError(concat(text.option, ' ', text.file, ": standard input is read by ",
                                reader->option, " already; write one of the two texts to a file"));
    reader = &text;
  }
}

}  // namespace dragoman::app
