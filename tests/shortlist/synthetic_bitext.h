#pragma once

#include "dragoman/shortlist/bitext.h"
#include "dragoman/shortlist/shortlist.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace test {

/// Ids 0 to 3 are special, 4 to 43 words; word w is translated as `translation_of(w)`.
inline constexpr std::int64_t words_end = 44;

inline std::int32_t translation_of(std::int32_t word) { return 4 + (word - 4) * 7 % 40; }

inline dragoman::ShortlistVocabulary synthetic_vocabulary() {
  return {.sizes = {.source = words_end, .target = words_end}};
}

/// Sentences of 3 to 9 words, word for word; neighbours in some of them change places, and some
/// words have no translation.
inline dragoman::Bitext synthetic_bitext(std::size_t pairs, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  dragoman::Bitext text;
  for (std::size_t i = 0; i < pairs; ++i) {
    std::vector<std::int32_t> source(3 + random() % 7), target;
    for (auto& word : source) word = static_cast<std::int32_t>(4 + random() % 40);
    for (const auto word : source)
      if (random() % 10 != 0) target.push_back(translation_of(word));
    if (target.size() > 2 && random() % 3 == 0) std::swap(target[0], target[1]);
    text.add(source, target);
  }
  return text;
}

}  // namespace test
