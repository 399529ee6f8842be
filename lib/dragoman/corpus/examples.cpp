#include "dragoman/corpus/examples.h"

#include <algorithm>

namespace dragoman {

namespace {

PairLength length_of(const Example& example) {
  return {.source = static_cast<std::uint32_t>(example.source_ids.size()),
          .target = static_cast<std::uint32_t>(example.target_ids.size())};
}

}  // namespace

std::size_t Examples::size() const {
  if (const auto* list = std::get_if<std::span<const Example>>(&pairs_)) return list->size();
  return std::get<const TokenStore*>(pairs_)->size();
}

PairLength Examples::length(std::size_t index) const {
  if (const auto* list = std::get_if<std::span<const Example>>(&pairs_))
    return length_of((*list)[index]);
  return std::get<const TokenStore*>(pairs_)->length(index);
}

Example Examples::example(std::size_t index) const {
  if (const auto* list = std::get_if<std::span<const Example>>(&pairs_)) return (*list)[index];
  return std::get<const TokenStore*>(pairs_)->example(index);
}

void Examples::drop_pages() const {
  if (const auto* store = std::get_if<const TokenStore*>(&pairs_)) (*store)->drop_pages();
}

void Examples::expect_unchanged() const {
  if (const auto* store = std::get_if<const TokenStore*>(&pairs_)) (*store)->expect_unchanged();
}

std::int64_t longest_side(const Examples& examples) {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto length = examples.length(i);
    longest = std::max({longest, std::int64_t{length.source}, std::int64_t{length.target}});
  }
  return longest;
}

}  // namespace dragoman
