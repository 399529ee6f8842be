#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/text/line_writer.h"
#include "dragoman/text/lines.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::app {

/// A text that an option names: "-" is standard input or standard output.
struct NamedText {
  std::string option;  ///< as in "--source"
  std::string file;    ///< empty = not given
};

/// What messages call a text to read; "-" or none = standard input.
std::string text_place(const std::string& file);

/// The text file of -i; "-" or none = standard input. \throws DataError if it cannot be opened.
LineReader open_input(const std::string& file, LineUse use);

/// Lines of a text that are not read as they are, for a warning at its end.
class ChangedLines {
 public:
  /// \param place the text's, for messages
  explicit ChangedLines(std::string place) : place_(std::move(place)) {}

  void tell(const Line& line);

  /// Warns, after the last line.
  void finish() const;

 private:
  /// Lines with the same fault.
  struct Fault {
    std::int64_t lines = 0, first = 0;
    void tell(const Line& line);
  };
  void warn(const Fault& fault, const std::string& fact) const;

  std::string place_;
  Fault bad_bytes_, cut_;
};

/// All its lines; warns as `ChangedLines` does. \throws DataError as `LineReader` does
std::vector<std::string> read_input(const std::string& file, LineUse use);

/// Warns of texts that are longer than `longest` pieces, which a model's data.max_length allows,
/// unless none is.
/// \param consequence what happened to them
void warn_of_long_texts(std::int64_t count, const std::string& consequence, std::int64_t longest);

/// A line that an argument gives. Warns if it had bytes that are not UTF-8, and if it is the name
/// of a file. \param place for messages
std::string clean_argument(const std::string& place, const std::string& line);

/// The text file of -o; "-" or none = standard output. \throws DataError if it cannot be made;
/// OptionsError if it is part of a run (`model_around`).
LineWriter open_output(const std::string& file);

/// Writes a whole text where -o says; "-" or none = standard output. \throws as `open_output`
void write_output(const std::string& file, const std::string& text);

/// Refuses "-": standard output holds the results.
CLI::Validator a_file();

/// Whether a file with this ending, ".png", holds a picture.
bool is_picture(std::string_view ending);

/// Refuses a name that ends as those of files of another form do. \param form "svg"
CLI::Validator written_as(const std::string& form);

/// Refuses "-", which is not the name of a folder to make.
CLI::Validator a_folder();

/// Creates and removes a file where -o says, so that a long computation is not begun in vain.
/// \throws DataError if the file could not be written; OptionsError as `open_output`
void expect_writable(const std::string& file);

/// Finds out before a long computation whether a text can be read. \param file "-" = standard
/// input; empty = none. \throws DataError as opening it would
void expect_readable(const std::string& file);

/// \param input "-" = standard input; empty = none
/// \param option that names the output, for the message
/// \throws OptionsError if the output is the file that is read
void expect_other_file(const std::string& output, const std::string& input,
                       const std::string& option = "-o");

/// \throws OptionsError if the output is a text that a run was trained or validated with
void expect_no_text_of(const std::string& output, const DataOptions& data);

/// \throws OptionsError if standard input would be read by two of them.
void expect_one_standard_input(const std::vector<NamedText>& texts);

}  // namespace dragoman::app
