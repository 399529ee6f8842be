#pragma once

#include "chooser.h"

namespace demo {

/// A sentence under construction, with the combinations of words and constructions in it: adjective
/// and noun, verb and object, subject and verb, verb and form.
struct Draft {
  Pair words;
  std::vector<std::string> combinations;
  std::vector<const Noun*> nouns;

  void add(const Clause& clause, Order order);
  /// Words that are the same in every sentence of a kind: ", because" and ", weil".
  void add(std::string_view english, std::string_view german);
  void add_infinitive(const Clause& clause);
  void note(const NounPhrase& phrase);

 private:
  void note(const Clause& clause, Order order);
};

/// The clause types of `sentences.cpp`, drawn by their weight; a sentence with initial capital and
/// punctuation mark.
/// \return nothing if the draw gives an unnatural sentence ("sie sie", a noun twice).
struct Sentence {
  Pair text;
  std::vector<std::string> combinations;
};
std::optional<Sentence> draw_sentence(Chooser& chooser);

/// Adds initial capital, "an", closing commas and the punctuation mark.
Pair finish(const Pair& words, char mark);

}  // namespace demo
