#include "dragoman/translate/translation_log.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <utility>

namespace dragoman {

namespace {

constexpr std::int64_t most_told = 5;  // lines that are named for each fact
constexpr const char* split_line = "too long; translated sentence by sentence";
constexpr const char* cut_sentence =
    "a sentence is too long; its end was left out (data.max_length)";
constexpr const char* cut_line = "longer than 16 MiB; cut there";
constexpr const char* blank_translation =
    "the line has text, but its translation is blank (see --max-length)";

/// Whether a line with text has a translation without any.
bool has_blank_translation(const Translation& translation) {
  return !translation.source_pieces.empty() &&
         translation.text().find_first_not_of(" \t") == std::string::npos;
}

}  // namespace

TranslationLog::TranslationLog(std::string place, Detail detail, std::int64_t longest)
    : place_(place),
      detail_(detail),
      longest_(longest),
      unknown_(std::move(place), "; the translation may have little to do with the line") {}

void TranslationLog::tell(const Line& line, const Translation& translation) {
  ++lines_;
  split_ += translation.split ? 1 : 0;
  cut_lines_ += line.was_cut ? 1 : 0;
  cut_sentences_ += translation.cut ? 1 : 0;
  truncated_ += translation.truncated ? 1 : 0;
  looping_ += translation.looping ? 1 : 0;
  const bool is_blank = has_blank_translation(translation);
  blank_ += is_blank ? 1 : 0;
  tell_unknown(line.number, translation);
  if (detail_ == Detail::counts) return;
  const auto warn = [&](bool applies, const std::string& fact) {
    if (!applies || ++told_[fact] > most_told) return;
    log_warning(concat(place_, ": line ", line.number, ": ", fact));
  };
  warn(line.had_bad_bytes, "not UTF-8; bad bytes were read as U+FFFD");
  warn(line.was_cut, cut_line);
  warn(translation.prefix_unused,
       "blank, and so is its translation; its target prefix is not used");
  warn(translation.split, split_line);
  warn(translation.cut, cut_sentence);
  warn(translation.truncated, length_limit("--max-length"));
  warn(translation.looping, "the translation repeats itself (--no-repeat-ngram 3 forbids it)");
  warn(is_blank, blank_translation);
}

std::string TranslationLog::length_limit(std::string_view option) const {
  const bool is_limited = longest_ < std::numeric_limits<std::int64_t>::max();
  return concat("the translation stopped at the length limit (", option,
                is_limited ? concat("; the model has ", longest_, " positions") : "", ")");
}

void TranslationLog::tell_unknown(std::int64_t line, const Translation& translation) {
  if (translation.unknown_in_prefix && !std::exchange(told_prefix_, true))
    log_warning(
        concat(place_, ": line ", line, ": the target prefix has ",
               utf8::quoted_character(*translation.unknown_in_prefix),
               ", which the vocabulary lacks; it is printed as given, but read as unknown"));
  unknown_.tell(line, translation.unknown);
}

void TranslationLog::finish() const {
  unknown_.finish();
  for (const auto& [fact, lines] : told_)
    if (lines > most_told)
      log_warning(concat(place_, ": ", lines, " of ", lines_, " lines, the first ", most_told,
                         " of them named above: ", fact));
  if (detail_ == Detail::lines) return;
  const auto warn = [&](std::int64_t count, const std::string& fact) {
    if (count > 0) log_warning(concat(place_, ": ", count, " of ", lines_, " lines: ", fact));
  };
  warn(split_, split_line);
  warn(cut_lines_, cut_line);
  warn(cut_sentences_, cut_sentence);
  warn(truncated_, length_limit("search.max_length"));
  warn(looping_, "the translation repeats itself (search.no_repeat_ngram=3 forbids it)");
  warn(blank_, blank_translation);
}

}  // namespace dragoman
