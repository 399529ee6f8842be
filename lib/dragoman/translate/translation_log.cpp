#include "dragoman/translate/translation_log.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <cstdio>
#include <utility>

namespace dragoman {

namespace {

constexpr std::int64_t most_told = 5;  // lines that are named for each fact

/// "U+4F60"
std::string code_point_name(char32_t character) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(character));
  return text;
}

/// "U+4F60 '...'"
std::string quoted_character(char32_t character) {
  return concat(code_point_name(character), " '", utf8::encode_all({&character, 1}), "'");
}

}  // namespace

TranslationLog::TranslationLog(std::string place, Detail detail)
    : place_(std::move(place)), detail_(detail) {}

void TranslationLog::tell(const Line& line, const Translation& translation) {
  ++lines_;
  cut_ += line.was_cut || translation.cut ? 1 : 0;
  truncated_ += translation.truncated ? 1 : 0;
  looping_ += translation.looping ? 1 : 0;
  tell_unknown(line.number, translation);
  if (detail_ == Detail::counts) return;
  const auto warn = [&](bool applies, const char* fact) {
    if (!applies || ++told_[fact] > most_told) return;
    log_warning(concat(place_, ": line ", line.number, ": ", fact));
  };
  warn(line.had_bad_bytes, "not UTF-8; bad bytes were read as U+FFFD");
  warn(line.was_cut, "longer than 16 MiB; cut there");
  warn(translation.split, "too long; translated sentence by sentence");
  warn(translation.cut, "a sentence is too long; its end was left out (data.max_length)");
  warn(translation.truncated, "the translation stopped at the length limit (--max-length)");
  warn(translation.looping, "the translation repeats itself (--no-repeat-ngram 3 forbids it)");
}

void TranslationLog::tell_unknown(std::int64_t line, const Translation& translation) {
  if (translation.unknown_in_prefix && !std::exchange(told_prefix_, true))
    log_warning(concat(place_, ": line ", line, ": the target prefix has ",
                       quoted_character(*translation.unknown_in_prefix),
                       ", which the vocabulary lacks; the translation cannot begin with it"));
  if (!translation.unknown) return;
  if (unknown_lines_++ > 0) return;
  first_unknown_ = concat("line ", line, ", ", code_point_name(*translation.unknown));
  log_warning(concat(place_, ": line ", line, ": ", quoted_character(*translation.unknown),
                     " is not in the vocabulary and is read as unknown; the translation may have "
                     "little to do with the line"));
}

void TranslationLog::finish() const {
  if (unknown_lines_ > 1)
    log_warning(concat(place_, ": ", unknown_lines_, " of ", lines_,
                       " lines have characters the vocabulary lacks (first: ", first_unknown_,
                       "); they are read as unknown"));
  for (const auto& [fact, lines] : told_)
    if (lines > most_told)
      log_warning(concat(place_, ": ", lines, " of ", lines_, " lines, the first ", most_told,
                         " of them named above: ", fact));
  if (detail_ == Detail::lines) return;
  const auto warn = [&](std::int64_t count, const char* fact) {
    if (count > 0) log_warning(concat(place_, ": ", count, " of ", lines_, " lines: ", fact));
  };
  warn(cut_, "a sentence is too long; its end was left out (data.max_length)");
  warn(truncated_, "the translation stopped at the length limit (search.max_length)");
  warn(looping_, "the translation repeats itself (search.no_repeat_ngram=3 forbids it)");
}

}  // namespace dragoman
