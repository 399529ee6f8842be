#include "dragoman/corpus/token_format.h"

#include "dragoman/core/fingerprint.h"

#include <cinttypes>
#include <cstdio>

namespace dragoman::token_format {

std::size_t id_bytes(std::int64_t largest_vocabulary) {
  return largest_vocabulary <= 65536 ? sizeof(std::uint16_t) : sizeof(std::int32_t);
}

std::string number_text(std::uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return digits;
}

std::string fingerprint_text(std::string_view bytes) { return number_text(fingerprint(bytes)); }

}  // namespace dragoman::token_format
