#include "clause.h"

#include <algorithm>

namespace demo {

namespace {

/// The finite verb and the words at the end of the clause.
struct VerbComplex {
  std::string finite;
  std::string end;
  bool end_is_prefix = false;  ///< joined to a finite verb that comes last: "aufmacht"
};

bool plural(const Agreement& who) { return who.number == Number::plural; }

/// Chooses by person and number: ich, er, wir.
std::string form(const Agreement& who, std::string_view first, std::string_view third,
                 std::string_view many) {
  if (plural(who)) return std::string(many);
  return std::string(who.person == Person::first ? first : third);
}

/// "wollte" and "wollten", "war" and "waren".
std::string past_form(const Agreement& who, std::string_view third) {
  std::string word(third);
  if (plural(who)) word += third.ends_with('e') ? "n" : "en";
  return word;
}

std::string infinitive(const Clause& clause) {
  if (clause.verb == nullptr) return "sein";
  if (clause.passive) return join(clause.verb->german_participle, "werden");
  return std::string(clause.verb->prefix).append(clause.verb->infinitive);
}

VerbComplex past_complex(const Clause& clause, const Agreement& who) {
  if (clause.verb == nullptr) return {.finite = past_form(who, "war"), .end = ""};
  const auto& verb = *clause.verb;
  if (clause.passive)
    return {.finite = past_form(who, "wurde"), .end = std::string(verb.german_participle)};
  if (!verb.past_third.empty()) return {.finite = past_form(who, verb.past_third), .end = ""};
  const auto finite = verb.is(verb_trait::sein) ? form(who, "bin", "ist", "sind")
                                                : form(who, "habe", "hat", "haben");
  return {.finite = finite, .end = std::string(verb.german_participle)};
}

VerbComplex verb_complex(const Clause& clause, const Agreement& who) {
  if (clause.modal != nullptr) {
    const auto& modal = *clause.modal;
    if (clause.tense == Tense::past)
      return {.finite = past_form(who, modal.german_past), .end = infinitive(clause)};
    return {.finite = form(who, modal.german_third, modal.german_third, modal.infinitive),
            .end = infinitive(clause)};
  }
  if (clause.tense == Tense::future)
    return {.finite = form(who, "werde", "wird", "werden"), .end = infinitive(clause)};
  if (clause.tense == Tense::past || clause.tense == Tense::already)
    return past_complex(clause, who);
  if (clause.verb == nullptr) return {.finite = form(who, "bin", "ist", "sind"), .end = ""};
  const auto& verb = *clause.verb;
  return {.finite = form(who, verb.first, verb.german_third, verb.infinitive),
          .end = std::string(verb.prefix),
          .end_is_prefix = true};
}

bool moved(const std::optional<NounPhrase>& phrase) {
  return phrase &&
         (phrase->form == NounPhrase::Form::relative || phrase->form == NounPhrase::Form::question);
}

bool is_pronoun(const std::optional<NounPhrase>& phrase) {
  return phrase && phrase->form == NounPhrase::Form::pronoun;
}

/// Whether German says "kein" where English says "not".
bool negates_object(const Clause& clause) {
  return clause.negated && clause.accusative && clause.accusative->indefinite();
}

std::string accusative(const Clause& clause) {
  auto phrase = *clause.accusative;
  if (negates_object(clause)) phrase.determiner = Determiner::no;
  return german(phrase, Case::accusative);
}

/// "heute", "gerade", "schon", "noch": the time expression of the middle field.
std::string time_words(const Clause& clause) {
  std::string words;
  if (clause.time != nullptr && !clause.time_first) words = std::string(clause.time->german);
  if (clause.tense == Tense::progressive && words.empty() && !clause.time_first) words = "gerade";
  if (clause.tense == Tense::already) words = join(words, clause.negated ? "noch" : "schon");
  if (clause.gladly && !clause.negated) words = join(words, "gern");
  return words;
}

/// Everything between the first verb and the last, except subject and pronouns. Order: dative,
/// known object if "nicht" or "schon" follows, time, object, "nicht", manner, places, predicate.
std::string middle_field(const Clause& clause) {
  std::string words;
  const bool has_object = clause.accusative && !moved(clause.accusative);
  const bool known = has_object && clause.accusative->known() &&
                     (clause.negated || clause.tense == Tense::already);
  if (clause.dative && !moved(clause.dative) && !is_pronoun(clause.dative))
    words = join(words, german(*clause.dative, Case::dative));
  if (known) words = join(words, accusative(clause));
  words = join(words, time_words(clause));
  if (has_object && !known && !is_pronoun(clause.accusative))
    words = join(words, accusative(clause));
  if (clause.negated && !negates_object(clause)) words = join(words, "nicht");
  if (clause.manner != nullptr) words = join(words, clause.manner->german);
  for (auto place = clause.places.rbegin(); place != clause.places.rend(); ++place)
    words = join(words, german(*place));
  return join(words, clause.predicate.german);
}

bool is_reflexive(const Clause& clause) {
  return clause.verb != nullptr && clause.verb->is(verb_trait::reflexive);
}

/// "sich" and the objects that are pronouns, the accusative first: "es ihm".
std::string pronouns(const Clause& clause) {
  std::string words;
  if (is_reflexive(clause)) words = german_reflexive(clause.subject.agreement());
  if (is_pronoun(clause.accusative)) words = join(words, accusative(clause));
  if (is_pronoun(clause.dative)) words = join(words, german(*clause.dative, Case::dative));
  return words;
}

/// Subject and pronouns in the middle field: "sich die Frau", "mir das Kind", but "sie sich", and
/// "das Kind sie" if the other order would swap subject and object.
std::string inner_subject(const Clause& clause) {
  const auto subject = german(clause.subject, Case::nominative);
  const auto others = pronouns(clause);
  const bool unclear = others.starts_with("sie") || others.starts_with("es");
  if (clause.subject.form == NounPhrase::Form::full && !unclear) return join(others, subject);
  return join(subject, others);
}

std::string front(const Clause& clause) {
  if (moved(clause.accusative)) return german(*clause.accusative, Case::accusative);
  if (moved(clause.dative)) return german(*clause.dative, Case::dative);
  if (clause.time_first && clause.time != nullptr) return std::string(clause.time->german);
  return clause.opening.german;
}

}  // namespace

std::string german(const Clause& clause, Order order) {
  const auto who = clause.subject.agreement();
  const auto verb = verb_complex(clause, who);
  const auto middle = middle_field(clause);
  const auto first = front(clause);
  if (order == Order::subordinate) {
    const auto words = join(join(first, inner_subject(clause)), middle);
    if (verb.end_is_prefix) return join(words, verb.end + verb.finite);
    return join(join(words, verb.end), verb.finite);
  }
  const bool subject_first = first.empty() && (order == Order::statement ||
                                               clause.subject.form == NounPhrase::Form::question);
  if (subject_first) {
    auto words = join(german(clause.subject, Case::nominative), verb.finite);
    return join(join(join(words, pronouns(clause)), middle), verb.end);
  }
  return join(join(join(join(first, verb.finite), inner_subject(clause)), middle), verb.end);
}

std::string german_infinitive(const Clause& clause) {
  const auto words = join(pronouns(clause), middle_field(clause));
  if (clause.verb == nullptr || clause.verb->prefix.empty())
    return join(join(words, "zu"), infinitive(clause));
  return join(words,
              std::string(clause.verb->prefix) + "zu" + std::string(clause.verb->infinitive));
}

}  // namespace demo
