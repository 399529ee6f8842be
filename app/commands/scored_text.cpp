#include "commands/scored_text.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/metrics/unicode.h"
#include "dragoman/text/text_file.h"

namespace dragoman::app {

ScoredText read_scored(const std::string& file) {
  auto reader = open_text(file, LineUse::scoring);
  ScoredText text{reader.place(), {}};
  while (const auto line = reader.next())
    text.lines.push_back(unicode::strip_right_utf8(line->text));
  return text;
}

void expect_parallel(const ScoredText& text, const ScoredText& reference) {
  if (text.lines.size() != reference.lines.size())
    throw DataError(concat(text.name, ": has ", counted(std::ssize(text.lines), "line"), ", but ",
                           reference.name, " has ", grouped(std::ssize(reference.lines)),
                           "; the files must correspond line by line"));
  if (text.lines.empty())
    throw DataError(
        concat(text.name, ": has no lines",
               text.name == reference.name ? "" : concat(", and neither has ", reference.name),
               "; give at least one line to score"));
}

}  // namespace dragoman::app
