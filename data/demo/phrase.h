#pragma once

#include "lexicon.h"

namespace demo {

/// One phrase in both languages.
struct Pair {
  std::string english, german;
};

/// A noun phrase before it is rendered in a language: a noun, a pronoun, or the gap of a question
/// or of a relative clause.
struct NounPhrase {
  enum class Form { full, pronoun, relative, question };

  Form form = Form::full;
  const Noun* noun = nullptr;  ///< full only
  Determiner determiner = Determiner::definite;
  Number number = Number::singular;
  const Adjective* adjective = nullptr;
  const Noun* owner = nullptr;  ///< "the man's", "Anna's"
  Agreement pronoun = {};       ///< all other forms
  Pair clause = {};             ///< a relative clause after the noun, if any

  Agreement agreement() const;
  /// "a dog", "dogs", "cold milk": phrases that German negates with "kein".
  bool indefinite() const;
  /// "the dog", "this dog", "my dog", "Anna": phrases that precede "nicht".
  bool known() const;
};

/// The pronoun, relative pronoun or question word that stands for `phrase`.
NounPhrase standing_for(const NounPhrase& phrase, NounPhrase::Form form);

std::string english(const NounPhrase& phrase, bool subject = false);
std::string german(const NounPhrase& phrase, Case case_);

/// A preposition with its phrase; an empty preposition gives an accusative ("spielt Klavier").
struct PrepositionalPhrase {
  std::string_view english_preposition, german_preposition;
  Case case_ = Case::dative;
  NounPhrase phrase;
};

std::string english(const PrepositionalPhrase& phrase);
std::string german(const PrepositionalPhrase& phrase);

}  // namespace demo
