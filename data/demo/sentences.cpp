#include "sentences.h"

#include "templates.h"

#include <algorithm>
#include <array>
#include <set>

namespace demo {

namespace {

struct Kind {
  Draft (*draw)(Chooser&);
  std::size_t weight;
  char mark = '.';
};

const std::array<Kind, 27>& kinds() {
  using namespace templates;
  static const std::array<Kind, 27> table{{
      {plain, 16},
      {time_first, 9},
      {manner, 2},
      {quality, 4},
      {comparison, 3},
      {position, 4},
      {putting, 3},
      {passive, 6},
      {music, 1},
      {gladly, 3},
      {existence, 2},
      {yes_no_question, 4, '?'},
      {object_question, 2, '?'},
      {subject_question, 2, '?'},
      {place_question, 1, '?'},
      {reason_question, 2, '?'},
      {speech, 6},
      {indirect_question, 2},
      {reason, 6},
      {condition_first, 4},
      {contrast, 4},
      {subject_relative, 4},
      {object_relative, 4},
      {purpose, 3},
      {attempt, 3},
      {two_clauses, 3},
      {thing_again, 3},
  }};
  return table;
}

const Kind& draw_kind(Dice& dice) {
  std::size_t total = 0;
  for (const auto& kind : kinds()) total += kind.weight;
  auto roll = dice.below(total);
  for (const auto& kind : kinds()) {
    if (roll < kind.weight) return kind;
    roll -= kind.weight;
  }
  return kinds().back();
}

std::size_t word_count(const std::string& words) {
  return static_cast<std::size_t>(std::count(words.begin(), words.end(), ' ')) + 1;
}

bool repeats_an_adjective(const std::string& english) {
  return std::any_of(adjectives().begin(), adjectives().end(), [&](const Adjective& adjective) {
    const auto word = " " + std::string(adjective.english) + " ";
    const auto spaced = english + " ";
    const auto first = spaced.find(word);
    return first != std::string::npos && spaced.find(word, first + 1) != std::string::npos;
  });
}

/// Rejects sentences such as "weil sie sie sieht", with a repeated noun, or too long.
bool sayable(const Draft& draft) {
  constexpr std::array<std::string_view, 3> ugly{" sie sie ", " ihr ihr", " die die "};
  const auto spaced = " " + draft.words.german + " ";
  const bool stumbles = std::any_of(ugly.begin(), ugly.end(), [&](std::string_view words) {
    return spaced.find(words) != std::string::npos;
  });
  const std::set<const Noun*> different(draft.nouns.begin(), draft.nouns.end());
  return !stumbles && !repeats_an_adjective(draft.words.english) &&
         different.size() == draft.nouns.size() && word_count(draft.words.english) <= 17 &&
         word_count(draft.words.german) <= 17;
}

}  // namespace

std::optional<Sentence> draw_sentence(Chooser& chooser) {
  const auto& kind = draw_kind(chooser.dice());
  auto draft = kind.draw(chooser);
  if (!sayable(draft)) return std::nullopt;
  return Sentence{finish(draft.words, kind.mark), std::move(draft.combinations)};
}

}  // namespace demo
