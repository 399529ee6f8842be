#include "sentences.h"

namespace demo {

namespace {

std::string key(std::string_view kind, std::string_view left, std::string_view right) {
  return std::string(kind).append(":").append(left).append("+").append(right);
}

std::string name_of(const Verb& verb) { return std::string(verb.prefix).append(verb.infinitive); }

/// Joins two words with a comma before the second: "Mann" + ", weil".
std::string attach(const std::string& left, std::string_view right) {
  return right.starts_with(',') ? left + std::string(right) : join(left, right);
}

/// Relative clauses end with a comma; a following punctuation mark replaces it.
std::string closed(const std::string& words) {
  std::string result;
  for (const char letter : words) {
    if (letter == ',' && result.ends_with(',')) continue;
    result += letter;
  }
  if (result.ends_with(',')) result.pop_back();
  return result;
}

}  // namespace

void Draft::note(const NounPhrase& phrase) {
  if (phrase.form != NounPhrase::Form::full) return;
  nouns.push_back(phrase.noun);
  if (phrase.owner != nullptr) nouns.push_back(phrase.owner);
  if (phrase.adjective != nullptr)
    combinations.push_back(key("adjective", phrase.adjective->english, phrase.noun->english));
}

void Draft::note(const Clause& clause, Order order) {
  const auto verb = clause.verb == nullptr ? "sein" : name_of(*clause.verb);
  note(clause.subject);
  if (clause.subject.form == NounPhrase::Form::full)
    combinations.push_back(key("subject", clause.subject.noun->english, verb));
  const auto note_object = [&](const NounPhrase& phrase) {
    note(phrase);
    if (phrase.form == NounPhrase::Form::full)
      combinations.push_back(key("object", verb, phrase.noun->english));
  };
  if (clause.accusative) note_object(*clause.accusative);
  if (clause.dative) note_object(*clause.dative);
  for (const auto& place : clause.places) note_object(place.phrase);
  auto form = std::to_string(static_cast<int>(clause.tense)) + "/" +
              std::to_string(static_cast<int>(order)) + (clause.negated ? "/nicht" : "") +
              (clause.passive ? "/werden" : "");
  if (clause.modal != nullptr) form += "/" + std::string(clause.modal->infinitive);
  combinations.push_back(key("form", verb, form));
}

void Draft::add(const Clause& clause, Order order) {
  note(clause, order);
  words.english = join(words.english, english(clause, order));
  words.german = join(words.german, german(clause, order));
}

void Draft::add(std::string_view english, std::string_view german) {
  words.english = attach(words.english, english);
  words.german = attach(words.german, german);
}

void Draft::add_infinitive(const Clause& clause) {
  note(clause, Order::subordinate);
  combinations.push_back(key("form", name_of(*clause.verb), "zu"));
  words.english = join(words.english, english_infinitive(clause));
  words.german = join(words.german, german_infinitive(clause));
}

Pair finish(const Pair& words, char mark) {
  return {sentence_case(with_an(words.english)) + mark, sentence_case(closed(words.german)) + mark};
}

}  // namespace demo
