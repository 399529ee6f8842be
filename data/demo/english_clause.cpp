#include "clause.h"

#include <stdexcept>

namespace demo {

namespace {

/// The words of the verb: the part before the subject in a question, and the rest.
struct VerbGroup {
  std::string auxiliary;
  std::string main;
  bool support = false;    ///< the auxiliary is a "do" that plain statements omit
  std::string plain = {};  ///< the main verb of such a statement
};

bool plural(const Agreement& who) { return who.number == Number::plural; }
bool first_singular(const Agreement& who) { return who.person == Person::first && !plural(who); }
bool takes_s(const Agreement& who) { return who.person == Person::third && !plural(who); }

std::string form_of_be(const Agreement& who, bool past) {
  if (past) return plural(who) ? "were" : "was";
  if (plural(who)) return "are";
  return first_singular(who) ? "am" : "is";
}

/// The bare infinitive: "open", "be opened", "be".
std::string bare(const Clause& clause) {
  if (clause.verb == nullptr) return "be";
  if (clause.passive) return join("be", clause.verb->participle);
  return std::string(clause.verb->base);
}

VerbGroup supported(const Agreement& who, bool past, std::string_view base, std::string_view third,
                    std::string_view past_form) {
  VerbGroup group{.auxiliary = takes_s(who) ? "does" : "do",
                  .main = std::string(base),
                  .support = true,
                  .plain = std::string(takes_s(who) ? third : base)};
  if (past) {
    group.auxiliary = "did";
    group.plain = std::string(past_form);
  }
  return group;
}

VerbGroup with_modal(const Clause& clause, const Agreement& who) {
  const auto& modal = *clause.modal;
  const bool past = clause.tense == Tense::past;
  switch (modal.kind) {
    case Modal::Kind::auxiliary:
      return {.auxiliary = std::string(modal.base), .main = bare(clause)};
    case Modal::Kind::be:
      return {.auxiliary = form_of_be(who, past), .main = join(modal.base, bare(clause))};
    case Modal::Kind::lexical: break;
  }
  auto group = supported(who, past, modal.base, modal.third, modal.past);
  group.main = join(group.main, bare(clause));
  group.plain = join(group.plain, bare(clause));
  return group;
}

VerbGroup verb_group(const Clause& clause, const Agreement& who) {
  if (clause.modal != nullptr) return with_modal(clause, who);
  const bool past = clause.tense == Tense::past;
  if (clause.tense == Tense::future) return {.auxiliary = "will", .main = bare(clause)};
  if (clause.verb == nullptr) return {.auxiliary = form_of_be(who, past), .main = ""};
  const auto& verb = *clause.verb;
  if (clause.gladly) {
    auto group = supported(who, false, "like", "likes", "liked");
    group.main += join(" to", verb.base);
    group.plain += join(" to", verb.base);
    return group;
  }
  if (clause.passive)
    return {.auxiliary = form_of_be(who, past), .main = std::string(verb.participle)};
  if (clause.tense == Tense::progressive)
    return {.auxiliary = form_of_be(who, false), .main = std::string(verb.ing)};
  if (clause.tense == Tense::already)
    return {.auxiliary = takes_s(who) ? "has" : "have", .main = std::string(verb.participle)};
  return supported(who, past, verb.base, verb.third, verb.past);
}

/// A phrase that moves to the front of its clause: relative pronouns and question words.
bool moved(const std::optional<NounPhrase>& phrase) {
  return phrase &&
         (phrase->form == NounPhrase::Form::relative || phrase->form == NounPhrase::Form::question);
}

bool is_pronoun(const std::optional<NounPhrase>& phrase) {
  return phrase && phrase->form == NounPhrase::Form::pronoun;
}

/// "picks up the boy", "picks him up", "gives the boy a book", "gives it to the boy".
std::string objects(const Clause& clause) {
  const auto particle = clause.verb == nullptr ? "" : clause.verb->particle;
  const auto preposition = clause.verb == nullptr ? "" : clause.verb->english_preposition;
  std::string words;
  if (is_pronoun(clause.accusative)) {
    words = join(join(preposition, english(*clause.accusative)), particle);
    return clause.dative ? join(words, join("to", english(*clause.dative))) : words;
  }
  words = std::string(particle);
  if (clause.verb != nullptr && clause.verb->frame != Frame::preposition)
    words = join(words, preposition);
  if (clause.dative && !moved(clause.dative)) words = join(words, english(*clause.dative));
  if (clause.accusative && !moved(clause.accusative))
    words = join(words, english(*clause.accusative));
  return words;
}

std::string behind_verb(const Clause& clause) {
  auto words = join(objects(clause), clause.predicate.english);
  for (const auto& place : clause.places) words = join(words, english(place));
  if (clause.manner != nullptr) words = join(words, clause.manner->english);
  if (clause.tense == Tense::already && clause.negated) words = join(words, "yet");
  if (clause.time != nullptr && !clause.time_first && !clause.time->middle)
    words = join(words, clause.time->english);
  return words;
}

std::string before_main_verb(const Clause& clause) {
  if (clause.tense == Tense::already && !clause.negated) return "already";
  return clause.time != nullptr && clause.time->middle ? std::string(clause.time->english) : "";
}

std::string negated(const std::string& auxiliary) {
  return auxiliary == "can" ? "cannot" : auxiliary + " not";
}

}  // namespace

std::string english(const Clause& clause, Order order) {
  const auto group = verb_group(clause, clause.subject.agreement());
  const auto subject = english(clause.subject, true);
  const bool subject_asks = clause.subject.form == NounPhrase::Form::question;
  if (order == Order::question && clause.negated)
    throw std::logic_error("demo: negated questions are not made");

  std::string front(clause.opening.english);
  if (clause.time_first && clause.time != nullptr) front = std::string(clause.time->english);
  if (moved(clause.accusative)) front = english(*clause.accusative);

  const auto tail = behind_verb(clause);
  if (order == Order::question && !subject_asks) {
    auto words = join(join(front, group.auxiliary), subject);
    return join(join(join(words, before_main_verb(clause)), group.main), tail);
  }
  auto words = join(front, subject);
  if (group.support && !clause.negated)
    return join(join(join(words, before_main_verb(clause)), group.plain), tail);
  words = join(words, clause.negated ? negated(group.auxiliary) : group.auxiliary);
  return join(join(join(words, before_main_verb(clause)), group.main), tail);
}

std::string english_infinitive(const Clause& clause) {
  return join(join("to", bare(clause)), behind_verb(clause));
}

}  // namespace demo
