#include "dragoman/report/short_names.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/utf8.h"

#include <set>

namespace dragoman {

namespace {

std::string both_ends(const std::string& name) {
  constexpr std::size_t most = 22, first = 12, last = 9;
  const auto all = utf8::decode_all(name);
  if (all.size() <= most) return name;
  return concat(utf8::encode_all(all.substr(0, first)), "…",
                utf8::encode_all(all.substr(all.size() - last)));
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names) {
  std::vector<std::string> shortened;
  for (const auto& name : names) shortened.push_back(both_ends(name));
  return std::set(shortened.begin(), shortened.end()).size() == shortened.size() ? shortened
                                                                                 : names;
}

}  // namespace dragoman
