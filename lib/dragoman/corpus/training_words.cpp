#include "dragoman/corpus/training_words.h"

#include "dragoman/core/error.h"
#include "dragoman/corpus/training_store.h"
#include "dragoman/storage/sha256.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

void expect_ids_of(const TokenStore& text, const Tokenizer& target) {
  if (tokenizer_of(text, "target") == sha256_hex(target.bytes())) return;
  throw DataError(
      "the training text's ids: were not made by the checkpoint's target tokenizer; "
      "remove the run's "
      "data/train.tokens, or restore the run as it was written");
}

}  // namespace

TrainingWords count_target_words(const TokenStore& text, const Tokenizer& target,
                                 WordSearch search) {
  expect_ids_of(text, target);
  TrainingWords words{.counts = std::move(search.wanted),
                      .lines = std::min(text.size(), search.most_lines),
                      .all_lines = text.size()};
  constexpr std::size_t lines_in_memory = 65536;
  for (std::size_t i = 0; i < words.lines; ++i) {
    const auto line = target.decode(text.example(i * words.all_lines / words.lines).target_ids);
    for (const auto& word : search.split(line))
      if (const auto found = words.counts.find(word); found != words.counts.end()) ++found->second;
    if (i % lines_in_memory == lines_in_memory - 1) text.drop_pages();
  }
  return words;
}

}  // namespace dragoman
