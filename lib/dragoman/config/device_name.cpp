#include "dragoman/config/device_name.h"

#include "dragoman/config/require.h"

#include <algorithm>

namespace dragoman {

bool is_device_name(std::string_view name) {
  if (name == "auto" || name == "cpu" || name == "cuda") return true;
  constexpr std::string_view numbered = "cuda:";
  if (!name.starts_with(numbered)) return false;
  name.remove_prefix(numbered.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= 2 && std::all_of(name.begin(), name.end(), is_digit);
}

void expect_inference_device_name(const std::string& place, const std::string& name) {
  options::require(is_device_name(name) && name != "auto", place, '"' + name + '"',
                   "is not a device that a model can be used on",
                   "choose cpu, cuda or cuda:N with N from 0 to 99");
}

}  // namespace dragoman
