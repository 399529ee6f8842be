#include "dragoman/report/attention_page.h"

#include "dragoman/report/attention_page_template.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace dragoman {

namespace {

using PageJson = nlohmann::ordered_json;

/// Four digits to base 64 for each weight: n of 24 bits stands for (n - 2^23) / (2^23 - 1) of the
/// range, so that 0 and the range itself are exact.
std::string packed(std::span<const float> weights, double range) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::int64_t zero = 0x800000;
  std::string text;
  text.reserve(4 * weights.size());
  for (const float weight : weights) {
    const double part = std::isfinite(weight) ? static_cast<double>(weight) / range : 0.0;
    const auto n = static_cast<std::size_t>(
        zero + std::llround(std::clamp(part, -1.0, 1.0) * static_cast<double>(zero - 1)));
    for (const int shift : {18, 12, 6, 0}) text += digits[(n >> shift) & 63];
  }
  return text;
}

/// The largest absolute weight, at least 1.
double weight_range(std::span<const float> weights) {
  double range = 1.0;
  for (const float weight : weights)
    if (std::isfinite(weight)) range = std::max(range, std::abs(static_cast<double>(weight)));
  return range;
}

std::vector<std::int64_t> from_one(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{1});
  return numbers;
}

PageJson maps_json(const std::vector<AttentionMap>& maps) {
  auto all = PageJson::array();
  for (const auto& map : maps) {
    const double range = weight_range(map.weights);
    PageJson object = {{"kind", name_of(map.kind)},
                       {"queries", map.queries},
                       {"keys", map.keys},
                       {"layers", from_one(map.layers)},
                       {"heads", from_one(map.heads)},
                       {"range", range},
                       {"weights", packed(map.weights, range)}};
    if (!map.saliency.empty()) object["saliency"] = packed(map.saliency, 1.0);
    all.push_back(std::move(object));
  }
  return all;
}

/// The page's address that shows the choice.
std::string address_of(const AttentionChoice& choice) {
  std::string address;
  if (choice.kind) address += "kind=" + name_of(*choice.kind) + "&";
  if (choice.layer) address += "layer=" + std::to_string(*choice.layer + 1) + "&";
  if (choice.head) address += "heads=" + std::to_string(*choice.head + 1) + "&";
  return address;
}

/// JSON that can stand in a script element: nothing in it begins or ends a tag or a comment.
std::string inside_script(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string attention_page(const AttentionTitles& titles,
                           std::span<const AttentionPicture> pictures,
                           const AttentionChoice& choice) {
  constexpr std::string_view mark = "@DATA@";
  auto all = PageJson::array();
  for (const auto& picture : pictures) {
    all.push_back({{"source", picture.source},
                   {"target", picture.target},
                   {"maps", maps_json(picture.maps)}});
    if (!titles.compared.empty()) all.back()["compared"] = maps_json(picture.compared);
  }
  PageJson data = {{"title", titles.run}, {"pictures", std::move(all)}};
  if (!titles.compared.empty()) data["compared"] = titles.compared;
  data["start"] = address_of(choice);
  std::string page = attention_page_template;
  return page.replace(page.find(mark), mark.size(),
                      inside_script(data.dump(-1, ' ', false, PageJson::error_handler_t::replace)));
}

}  // namespace dragoman
