#include "dragoman/run/checkpoint_name.h"

#include "dragoman/core/concat.h"

#include <algorithm>

namespace dragoman {

namespace {

constexpr std::string_view name_prefix = "step-";
constexpr std::size_t fewest_digits = 8, most_digits = 18;

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  return with_all_digits(concat(name_prefix, step));
}

std::optional<std::int64_t> step_of_checkpoint(std::string_view name) {
  if (!name.starts_with(name_prefix)) return std::nullopt;
  const auto digits = name.substr(name_prefix.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.size() < fewest_digits || digits.size() > most_digits ||
      !std::ranges::all_of(digits, is_digit))
    return std::nullopt;
  return std::stoll(std::string(digits));
}

std::string with_all_digits(std::string name) {
  constexpr std::size_t size = name_prefix.size() + fewest_digits;
  if (name.starts_with(name_prefix) && name.size() > name_prefix.size() && name.size() < size)
    name.insert(name_prefix.size(), size - name.size(), '0');
  return name;
}

bool is_best_hint(std::string_view name) {
  return name.starts_with("best-") && name.find(".tmp") == name.npos && name.find('/') == name.npos;
}

}  // namespace dragoman
