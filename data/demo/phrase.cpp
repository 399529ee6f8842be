#include "phrase.h"

namespace demo {

namespace {

bool is_name(const Noun& noun) { return (noun.classes & noun_class::name) != 0; }

/// Owners and names replace the article: "Annas alter Hund".
Determiner shown_determiner(const NounPhrase& phrase) {
  const bool bare = is_name(*phrase.noun) || (phrase.owner != nullptr && is_name(*phrase.owner));
  return bare ? Determiner::none : phrase.determiner;
}

std::string german_full(const NounPhrase& phrase, Case case_) {
  const auto& noun = *phrase.noun;
  const auto determiner = shown_determiner(phrase);
  auto words = german_determiner(determiner, noun.gender, phrase.number, case_);
  const bool named_owner = phrase.owner != nullptr && is_name(*phrase.owner);
  if (named_owner) words = german_noun(*phrase.owner, Number::singular, Case::genitive);
  if (phrase.adjective != nullptr) {
    const auto ending = adjective_ending(determiner, noun.gender, phrase.number, case_);
    words = join(words, std::string(phrase.adjective->stem).append(ending));
  }
  words = join(words, german_noun(noun, phrase.number, case_));
  if (phrase.owner != nullptr && !named_owner) {
    const auto& owner = *phrase.owner;
    words = join(words, german_determiner(Determiner::definite, owner.gender, Number::singular,
                                          Case::genitive));
    words = join(words, german_noun(owner, Number::singular, Case::genitive));
  }
  return words + phrase.clause.german;
}

std::string english_full(const NounPhrase& phrase) {
  auto words = english_determiner(shown_determiner(phrase), phrase.number);
  if (phrase.owner != nullptr) {
    const auto owner = english_noun(*phrase.owner, Number::singular) + "'s";
    words = is_name(*phrase.owner) ? owner : join("the", owner);
  }
  if (phrase.adjective != nullptr) words = join(words, phrase.adjective->english);
  return join(words, english_noun(*phrase.noun, phrase.number)) + phrase.clause.english;
}

}  // namespace

Agreement NounPhrase::agreement() const {
  if (form != Form::full) return pronoun;
  return {
      .number = number, .gender = noun->gender, .thing = (noun->classes & noun_class::person) == 0};
}

bool NounPhrase::indefinite() const {
  return form == Form::full && !is_name(*noun) && owner == nullptr &&
         (determiner == Determiner::indefinite || determiner == Determiner::none);
}

bool NounPhrase::known() const {
  if (form != Form::full) return false;
  switch (determiner) {
    case Determiner::definite:
    case Determiner::this_one:
    case Determiner::my:
    case Determiner::our:
    case Determiner::his:
    case Determiner::her:
    case Determiner::their:
    case Determiner::all: return true;
    default: return is_name(*noun) || owner != nullptr;
  }
}

NounPhrase standing_for(const NounPhrase& phrase, NounPhrase::Form form) {
  return {.form = form, .pronoun = phrase.agreement()};
}

std::string english(const NounPhrase& phrase, bool subject) {
  switch (phrase.form) {
    case NounPhrase::Form::full: return english_full(phrase);
    case NounPhrase::Form::pronoun: return english_pronoun(phrase.pronoun, subject);
    case NounPhrase::Form::relative: return phrase.pronoun.thing ? "that" : "who";
    case NounPhrase::Form::question: return phrase.pronoun.thing ? "what" : "who";
  }
  return {};
}

std::string german(const NounPhrase& phrase, Case case_) {
  switch (phrase.form) {
    case NounPhrase::Form::full: return german_full(phrase, case_);
    case NounPhrase::Form::pronoun: return german_pronoun(phrase.pronoun, case_);
    case NounPhrase::Form::relative: return german_relative(phrase.pronoun, case_);
    case NounPhrase::Form::question:
      if (phrase.pronoun.thing) return "was";
      if (case_ == Case::nominative) return "wer";
      return case_ == Case::dative ? "wem" : "wen";
  }
  return {};
}

std::string english(const PrepositionalPhrase& phrase) {
  return join(phrase.english_preposition, english(phrase.phrase));
}

std::string german(const PrepositionalPhrase& phrase) {
  return with_preposition(phrase.german_preposition, german(phrase.phrase, phrase.case_));
}

}  // namespace demo
