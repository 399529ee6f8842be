#include "dragoman/analysis/head_place.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <charconv>

namespace dragoman {

namespace {

/// The number, at least 1, that makes up the whole text, else 0.
std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc() && result.ptr == end && number > 0 ? number : 0;
}

}  // namespace

std::string name_of(const HeadPlace& place) {
  return concat(name_of(place.kind), ' ', place.layer + 1, '.', place.head + 1);
}

HeadPlace head_place(std::string_view text) {
  const auto gap = text.find_first_of(": ");
  const auto point = text.find('.', gap == std::string_view::npos ? 0 : gap);
  if (gap != std::string_view::npos && point != std::string_view::npos) {
    const auto layer = number_in(text.substr(gap + 1, point - gap - 1));
    const auto head = number_in(text.substr(point + 1));
    const auto kind = text.substr(0, gap);
    const bool known = kind == "encoder" || kind == "decoder" || kind == "cross";
    if (known && layer > 0 && head > 0) return {attention_part(kind), layer - 1, head - 1};
  }
  throw OptionsError(
      concat("head '", printable(text, 80),
             "': is not of the form KIND:LAYER.HEAD; write "
             "encoder:1.2, decoder:4.1 or cross:2.3, several separated by blanks or commas"));
}

}  // namespace dragoman
