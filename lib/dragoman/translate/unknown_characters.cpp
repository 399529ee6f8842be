#include "dragoman/translate/unknown_characters.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <utility>

namespace dragoman {

UnknownCharacters::UnknownCharacters(std::string place, std::string effect)
    : place_(std::move(place)), effect_(std::move(effect)) {}

void UnknownCharacters::tell(std::int64_t line_number, std::optional<char32_t> character) {
  ++lines_;
  if (!character || ++with_unknown_ > 1) return;
  first_ = concat("line ", line_number, ", ", utf8::code_point_name(*character));
  log_warning(concat(place_, ": line ", line_number, ": ", utf8::quoted_character(*character),
                     " is not in the vocabulary and is read as unknown", effect_));
}

void UnknownCharacters::finish() const {
  if (with_unknown_ < 2) return;
  log_warning(concat(place_, ": ", with_unknown_, " of ", lines_,
                     " lines have characters the vocabulary lacks (first: ", first_,
                     "); they are read as unknown"));
}

}  // namespace dragoman
