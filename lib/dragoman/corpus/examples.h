#pragma once

#include "dragoman/corpus/token_store.h"
#include "dragoman/text/example.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace dragoman {

/// Sentence pairs by index, from either a list in memory or a token store. A view: the source must
/// outlive it. Implicitly constructible from both.
class Examples {
 public:
  Examples(std::span<const Example> list) : pairs_(list) {}
  Examples(const std::vector<Example>& list) : pairs_(std::span(list)) {}
  Examples(const TokenStore& store) : pairs_(&store) {}

  std::size_t size() const;
  PairLength length(std::size_t index) const;
  Example example(std::size_t index) const;

  /// Releases memory that can be restored by reading again.
  void drop_pages() const;

  /// \throws FormatError if the file was written to, or cut, since it was opened
  void expect_unchanged() const;

 private:
  std::variant<std::span<const Example>, const TokenStore*> pairs_;
};

/// Tokens of the longest side of all pairs, EOS included; 0 without pairs.
std::int64_t longest_side(const Examples& examples);

}  // namespace dragoman
