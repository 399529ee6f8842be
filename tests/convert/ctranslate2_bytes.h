#pragma once

#include "dragoman/convert/ctranslate2_file.h"

#include <string>
#include <string_view>

namespace test {

/// The content of a model.bin.
inline std::string serialised(const dragoman::CTranslate2File& file) {
  std::string bytes;
  file.write([&](std::string_view part) { bytes += part; });
  return bytes;
}

}  // namespace test
