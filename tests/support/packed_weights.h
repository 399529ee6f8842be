#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// The weights that an attention page has packed, four characters each.
inline std::vector<double> unpacked_weights(const std::string& text, double range = 1.0) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<double> weights;
  for (std::size_t i = 0; i + 4 <= text.size(); i += 4) {
    std::int64_t n = 0;
    for (std::size_t k = i; k < i + 4; ++k)
      n = 64 * n + static_cast<std::int64_t>(digits.find(text[k]));
    weights.push_back(static_cast<double>(n - 0x800000) / 0x7fffff * range);
  }
  return weights;
}

/// The JSON that a page holds.
inline std::string data_of_page(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const auto first = page.find(begin) + begin.size();
  return page.substr(first, page.find("</script>", first) - first);
}

}  // namespace test
