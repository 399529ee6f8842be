#pragma once

#include "clause.h"

#include "dragoman/core/dice.h"

#include <functional>
#include <stdexcept>

namespace demo {

/// Dice that say yes in so many of a hundred cases.
class Dice : public dragoman::Dice {
 public:
  using dragoman::Dice::Dice;

  bool percent(std::size_t chance) { return below(100) < chance; }
};

/// Chooses words that go together and makes phrases and clauses of them.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : dice_(seed) {}

  Dice& dice() { return dice_; }

  /// \throws std::logic_error if nothing passes `test`.
  template <typename Container, typename Test>
  const auto& one_of(const Container& all, Test test) {
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (test(all[i])) fitting.push_back(i);
    if (fitting.empty()) throw std::logic_error("demo: no word fits");
    return all[fitting.at(dice_.below(fitting.size()))];
  }

  const Noun& noun(std::uint32_t classes, std::uint32_t without = 0);
  const Verb& verb(const std::function<bool(const Verb&)>& fits);
  const Adjective& adjective(const Noun& noun, bool comparable = false);
  const Adverbial* time(const Clause& clause);

  /// Somebody or, where `classes` allow, an animal that acts.
  NounPhrase subject(std::uint32_t classes);
  /// Somebody of whom one can speak on as "he" or "she".
  NounPhrase somebody();
  /// A phrase with articles, numbers, owners; `clause` tells who owns "his" and "her" things.
  NounPhrase object(const Noun& noun, const Clause& clause);
  /// Somebody as an object, perhaps a pronoun that is not the subject's.
  NounPhrase person_object(const Noun& noun, const Clause& clause);
  /// "the old garden".
  NounPhrase definite(const Noun& noun);
  PrepositionalPhrase place();
  PrepositionalPhrase way_to(const Noun& goal);

  /// Subject and verb with the objects it asks for, in a tense and perhaps with a modal verb.
  Clause clause(const Verb& verb, const NounPhrase& subject);
  /// The same in the present tense without modal verb or negation.
  Clause plain_clause(const Verb& verb, const NounPhrase& subject);
  Clause any_clause();

 private:
  void choose_tense(Clause& clause);
  void fill_frame(Clause& clause);
  Determiner singular_determiner(const Noun& noun, const Clause& clause);
  Determiner plural_determiner(const Clause& clause);
  NounPhrase full_subject(std::uint32_t classes);

  Dice dice_;
};

}  // namespace demo
