#include "dragoman/corpus/preflight_side.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/utf8.h"
#include "dragoman/corpus/auto_options.h"
#include "dragoman/corpus/text_identity.h"

#include <algorithm>
#include <utility>

namespace dragoman {

template <typename Work>
void PreflightSide::guard(const Work& work) {
  try {
    work();
  } catch (const DataError& error) {
    problem_ = error.what();
    reader_.reset();
  }
}

PreflightSide::PreflightSide(const std::string& file) {
  facts_.file = file;
  guard([&] {
    expect_regular(file);
    reader_.emplace(file, LineUse::translation);
  });
}

std::optional<std::string> PreflightSide::next() {
  std::optional<Line> line;
  guard([&] {
    if (reader_) line = reader_->next();
  });
  if (!line) return std::nullopt;
  const auto characters = utf8::count(line->text);
  bad_lines_ += line->had_bad_bytes || line->was_cut ? 1 : 0;
  ++facts_.lines;
  facts_.empty_lines += line->text.empty() ? 1 : 0;
  facts_.words += words_in(line->text);
  facts_.characters += characters;
  facts_.longest_line = std::max(facts_.longest_line, characters);
  return std::move(line->text);
}

void PreflightSide::add_problems(std::vector<std::string>& problems) const {
  if (!problem_.empty()) problems.push_back(problem_);
  if (!usable() || bad_lines_ == 0) return;
  problems.push_back(first_refusal());
  problems.push_back(concat(facts_.file, ": ", bad_lines_, " of ", facts_.lines,
                            " lines are not UTF-8 or too long; the first is named above"));
}

/// The error that training would report for the first bad line.
std::string PreflightSide::first_refusal() const {
  try {
    LineReader strict(facts_.file, LineUse::training);
    while (strict.next()) {
    }
  } catch (const DataError& error) {
    return error.what();
  }
  return facts_.file + ": changed while it was read";
}

}  // namespace dragoman
