#pragma once

#include "clause.h"

#include "dragoman/core/split_mix_64.h"

#include <functional>
#include <stdexcept>

namespace demo {

/// A random number generator with a given percentage of positive answers.
class Dice : public dragoman::SplitMix64 {
 public:
  using dragoman::SplitMix64::SplitMix64;

  bool percent(std::size_t chance) { return below(100) < chance; }
};

/// Chooses words that go together and builds phrases and clauses from them.
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

  /// A person or, if `classes` allow, an animal as the agent.
  NounPhrase subject(std::uint32_t classes);
  /// A person who can be referred to as "he" or "she".
  NounPhrase somebody();
  /// A phrase with article, number or owner; `clause` determines the owner for "his" and "her".
  NounPhrase object(const Noun& noun, const Clause& clause);
  /// A person as object, possibly a pronoun different from the subject's.
  NounPhrase person_object(const Noun& noun, const Clause& clause);
  /// "the old garden".
  NounPhrase definite(const Noun& noun);
  PrepositionalPhrase place();
  PrepositionalPhrase way_to(const Noun& goal);

  /// Subject and verb with the objects it requires, in a tense and possibly with a modal verb.
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
