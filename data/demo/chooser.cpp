#include "chooser.h"

#include <array>

namespace demo {

namespace {

using namespace noun_class;

bool has(const Noun& noun, std::uint32_t classes) { return (noun.classes & classes) != 0; }

bool owns(const NounPhrase& phrase) {
  return phrase.form == NounPhrase::Form::pronoun ||
         (phrase.form == NounPhrase::Form::full && phrase.noun != nullptr &&
          has(*phrase.noun, person) && !phrase.noun->neuter_person() &&
          phrase.determiner != Determiner::every);
}

/// Verbs whose singular object must be known: "mag eine Katze" is unidiomatic.
bool wants_known_object(const Verb* verb) {
  return verb != nullptr && (verb->base == "like" || verb->base == "love" || verb->base == "know");
}

}  // namespace

const Noun& Chooser::noun(std::uint32_t classes, std::uint32_t without) {
  return one_of(nouns(), [&](const Noun& n) { return has(n, classes) && !has(n, without); });
}

const Verb& Chooser::verb(const std::function<bool(const Verb&)>& fits) {
  return one_of(verbs(), fits);
}

const Adjective& Chooser::adjective(const Noun& noun, bool comparable) {
  return one_of(adjectives(), [&](const Adjective& a) {
    return has(noun, a.classes) && (!comparable || !a.english_comparative.empty());
  });
}

const Adverbial* Chooser::time(const Clause& clause) {
  using namespace time_class;
  std::uint32_t wanted = habit;
  const bool lasting = clause.verb != nullptr && clause.verb->is(verb_trait::lasting);
  if (clause.tense == Tense::already || lasting) return nullptr;
  if (clause.tense == Tense::progressive) wanted = now;
  if (clause.tense == Tense::past) wanted = before;
  if (clause.tense == Tense::future || (clause.modal != nullptr && clause.tense == Tense::present))
    wanted = later;
  if (clause.negated && wanted == habit) return nullptr;
  return &one_of(times(), [&](const Adverbial& time) { return (time.times & wanted) != 0; });
}

NounPhrase Chooser::definite(const Noun& noun) {
  NounPhrase phrase{.noun = &noun};
  if (dice_.percent(35) && !has(noun, name)) phrase.adjective = &adjective(noun);
  return phrase;
}

NounPhrase Chooser::full_subject(std::uint32_t classes) {
  NounPhrase phrase = definite(noun(classes, name));
  const auto roll = dice_.below(100);
  if (has(*phrase.noun, kin) && roll < 40)
    phrase.determiner = roll < 25 ? Determiner::my : Determiner::our;
  else if (roll < 52)
    phrase.determiner = Determiner::definite;
  else if (roll < 58)
    phrase.determiner = Determiner::indefinite;
  else if (roll < 64)
    phrase.determiner = Determiner::this_one;
  else if (roll < 67)
    phrase.determiner = Determiner::every;
  if (roll >= 72) {
    static constexpr std::array<Determiner, 8> plurals{
        Determiner::definite, Determiner::definite, Determiner::definite, Determiner::two,
        Determiner::three,    Determiner::many,     Determiner::some,     Determiner::this_one};
    phrase.number = Number::plural;
    phrase.determiner = plurals.at(dice_.below(plurals.size()));
  }
  return phrase;
}

NounPhrase Chooser::subject(std::uint32_t classes) {
  const auto roll = dice_.below(100);
  if (classes == animal || roll < 66) return full_subject(classes & (person | animal));
  if (roll < 82) return {.noun = &noun(name), .determiner = Determiner::none};
  static constexpr std::array<Agreement, 5> pronouns{{{Person::first, Number::singular},
                                                      {Person::first, Number::plural},
                                                      {},
                                                      {.gender = Gender::feminine},
                                                      {.number = Number::plural}}};
  return {.form = NounPhrase::Form::pronoun, .pronoun = pronouns.at(dice_.below(5))};
}

NounPhrase Chooser::somebody() {
  auto phrase = subject(person);
  while (!owns(phrase)) phrase = subject(person);
  return phrase;
}

Determiner Chooser::singular_determiner(const Noun& noun, const Clause& clause) {
  const auto roll = dice_.below(100);
  if (roll < 14 && owns(clause.subject)) return possessive_of(clause.subject.agreement());
  if (roll < 22) return Determiner::this_one;
  if (noun.mass()) return roll < 75 ? Determiner::none : Determiner::definite;
  if (roll < 58 && !wants_known_object(clause.verb)) return Determiner::indefinite;
  return Determiner::definite;
}

Determiner Chooser::plural_determiner(const Clause& clause) {
  static constexpr std::array<Determiner, 10> choices{
      Determiner::definite, Determiner::definite, Determiner::indefinite, Determiner::indefinite,
      Determiner::this_one, Determiner::two,      Determiner::three,      Determiner::four,
      Determiner::many,     Determiner::some};
  if (dice_.percent(14) && owns(clause.subject)) return possessive_of(clause.subject.agreement());
  return choices.at(dice_.below(clause.negated || clause.passive ? 5 : choices.size()));
}

NounPhrase Chooser::object(const Noun& noun, const Clause& clause) {
  if (has(noun, name)) return {.noun = &noun, .determiner = Determiner::none};
  NounPhrase phrase = definite(noun);
  const bool many = !noun.mass() && dice_.percent(has(noun, fruit | plant | food) ? 50 : 24);
  phrase.number = many ? Number::plural : Number::singular;
  phrase.determiner = many ? plural_determiner(clause) : singular_determiner(noun, clause);
  const bool person_noun = has(noun, person);
  if (person_noun && !has(noun, kin) && owns(clause.subject) &&
      phrase.determiner == possessive_of(clause.subject.agreement()))
    phrase.determiner = Determiner::definite;
  if (!person_noun && phrase.determiner == Determiner::definite && dice_.percent(25))
    phrase.owner = &this->noun(dice_.percent(50) ? name : person);
  return phrase;
}

NounPhrase Chooser::person_object(const Noun& noun, const Clause& clause) {
  const auto& subject = clause.subject;
  if (!dice_.percent(22)) return object(noun, clause);
  static constexpr std::array<Agreement, 5> pronouns{{{.gender = Gender::masculine},
                                                      {.gender = Gender::feminine},
                                                      {.number = Number::plural},
                                                      {Person::first, Number::singular},
                                                      {Person::first, Number::plural}}};
  const bool first = subject.agreement().person == Person::first;
  return {.form = NounPhrase::Form::pronoun, .pronoun = pronouns.at(dice_.below(first ? 3 : 5))};
}

PrepositionalPhrase Chooser::place() {
  return {"in", "in", Case::dative, definite(noun(building | room | outdoors))};
}

PrepositionalPhrase Chooser::way_to(const Noun& goal) {
  const bool inside = goal.into == "in";
  return {"to", inside ? "in" : "zu", inside ? Case::accusative : Case::dative, definite(goal)};
}

void Chooser::choose_tense(Clause& clause) {
  const bool state = clause.verb->is(verb_trait::state);
  const bool lasting = clause.verb->is(verb_trait::lasting);
  const bool alone = lasting || clause.verb->is(verb_trait::no_modal);
  const auto roll = dice_.below(lasting ? 58 : alone ? 80 : 100);
  if (roll < 24)
    clause.tense = Tense::present;
  else if (roll < 36)
    clause.tense = state ? Tense::past : Tense::progressive;
  else if (roll < 58)
    clause.tense = Tense::past;
  else if (roll < 66)
    clause.tense = state ? Tense::present : Tense::already;
  else if (roll < 80)
    clause.tense = Tense::future;
  else
    clause.modal = &modals()[dice_.below(modals().size())];
  if (clause.modal != nullptr && clause.modal->kind != Modal::Kind::auxiliary && dice_.percent(35))
    clause.tense = Tense::past;
  const auto who = clause.subject.agreement();
  const bool marked = who.number == Number::singular && who.person == Person::third;
  if (clause.tense == Tense::past && clause.modal == nullptr && !marked &&
      clause.verb->base == clause.verb->past)
    clause.tense = Tense::future;  // "they put": today or yesterday?
  clause.negated = dice_.percent(18) && (clause.modal == nullptr || clause.modal->may_negate);
}

void Chooser::fill_frame(Clause& clause) {
  const auto& verb = *clause.verb;
  if (verb.frame == Frame::none) {
    if (verb.prefix.empty() && dice_.percent(70)) clause.places.push_back(place());
    return;
  }
  if (verb.frame == Frame::both) {
    clause.dative = person_object(noun(person), clause);
    clause.accusative = object(noun(verb.objects), clause);
    return;
  }
  const auto& goal = noun(verb.objects);
  if (verb.frame == Frame::motion) {
    clause.places.push_back(way_to(goal));
    if (dice_.percent(25))
      clause.places.push_back(
          {"with", "mit", Case::dative, object(noun(person | pet, name), clause)});
    return;
  }
  auto phrase = has(goal, person) ? person_object(goal, clause) : object(goal, clause);
  if (verb.frame == Frame::dative) clause.dative = phrase;
  if (verb.frame == Frame::accusative) clause.accusative = phrase;
  if (verb.frame == Frame::preposition)
    clause.places.push_back(
        {verb.english_preposition, verb.german_preposition, verb.preposition_case, phrase});
}

Clause Chooser::plain_clause(const Verb& verb, const NounPhrase& subject) {
  Clause clause{.subject = subject, .verb = &verb};
  fill_frame(clause);
  return clause;
}

Clause Chooser::clause(const Verb& verb, const NounPhrase& subject) {
  Clause clause{.subject = subject, .verb = &verb};
  choose_tense(clause);
  if (subject.form == NounPhrase::Form::full && clause.negated)
    clause.negated = subject.determiner != Determiner::every &&
                     subject.determiner != Determiner::many &&
                     subject.determiner != Determiner::some;
  fill_frame(clause);
  const bool place_fits = verb.frame == Frame::accusative && !clause.negated;
  if (place_fits && dice_.percent(10)) clause.places.push_back(place());
  return clause;
}

Clause Chooser::any_clause() {
  const auto& verb = this->verb([](const Verb&) { return true; });
  return clause(verb, subject(verb.subjects));
}

}  // namespace demo
