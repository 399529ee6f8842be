#include "templates.h"

#include <algorithm>
#include <array>

namespace demo::templates {

namespace {

using namespace noun_class;

const Verb lay{"put",   "puts", "put",  "put",    "putting",         "",     "",  "",
               "legen", "lege", "legt", "gelegt", Frame::accusative, person, flat};
const Verb stand{"put",     "puts",   "put",    "put",      "putting",         "",     "",     "",
                 "stellen", "stelle", "stellt", "gestellt", Frame::accusative, person, upright};
const Verb play{"play",    "plays",  "played", "played",   "playing",         "",     "",        "",
                "spielen", "spiele", "spielt", "gespielt", Frame::accusative, person, instrument};

Draft spoken(const Clause& clause, Order order = Order::statement) {
  Draft draft;
  draft.add(clause, order);
  return draft;
}

/// A clause for a question: affirmative, with a known subject in the third person.
Clause asked(Chooser& choose, const std::function<bool(const Verb&)>& fits) {
  for (;;) {
    const auto& verb = choose.verb(fits);
    auto clause = choose.clause(verb, choose.subject(verb.subjects));
    clause.negated = false;
    if (clause.subject.agreement().person == Person::third && !clause.subject.indefinite())
      return clause;
  }
}

bool any(const Verb&) { return true; }

/// A predicate adjective for `noun`.
Pair predicate(Chooser& choose, const Noun& noun) {
  const auto& adjective = choose.adjective(noun);
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> degrees{
      {{"", ""}, {"", ""}, {"very", "sehr"}, {"too", "zu"}}};
  static constexpr std::array<std::string_view, 11> may_be_too_much{
      "big", "small", "expensive", "heavy", "long", "short", "hot", "cold", "loud", "dark", "warm"};
  const bool too =
      std::count(may_be_too_much.begin(), may_be_too_much.end(), adjective.english) > 0;
  const bool scales = !adjective.english_comparative.empty();
  const auto& degree = degrees.at(choose.dice().below(too ? 4 : scales ? 3 : 1));
  return {join(degree.first, adjective.english), join(degree.second, adjective.german)};
}

Noun const& thing(Chooser& choose) {
  return choose.one_of(nouns(), [](const Noun& noun) {
    return !noun.mass() && (noun.classes & (name | event | fruit)) == 0;
  });
}

NounPhrase known(Chooser& choose, const Noun& noun) {
  NounPhrase phrase{.noun = &noun};
  const auto roll = choose.dice().below(100);
  if (roll < 15) phrase.determiner = Determiner::this_one;
  if (!noun.mass() && choose.dice().percent(25)) phrase.number = Number::plural;
  if ((noun.classes & (person | animal | outdoors)) == 0 && roll >= 15 && roll < 35)
    phrase.owner = &choose.noun(roll < 25 ? name : person);
  return phrase;
}

}  // namespace

Draft plain(Chooser& choose) {
  auto clause = choose.any_clause();
  if (choose.dice().percent(40)) clause.time = choose.time(clause);
  return spoken(clause);
}

Draft time_first(Chooser& choose) {
  auto clause = choose.any_clause();
  clause.time = choose.time(clause);
  clause.time_first = clause.time != nullptr && !clause.time->middle;
  return spoken(clause);
}

Draft manner(Chooser& choose) {
  constexpr std::array<std::string_view, 9> doings{"kochen",   "waschen",   "reparieren",
                                                   "machen",   "schneiden", "füllen",
                                                   "arbeiten", "laufen",    "räumen"};
  const auto& verb = choose.verb([&](const Verb& v) {
    return std::find(doings.begin(), doings.end(), v.infinitive) != doings.end();
  });
  auto clause = choose.clause(verb, choose.subject(person));
  clause.negated = false;
  clause.places.clear();
  if (verb.frame == Frame::motion)
    clause.places.push_back(choose.way_to(choose.noun(verb.objects)));
  clause.manner = &manners()[choose.dice().below(manners().size())];
  return spoken(clause);
}

Draft quality(Chooser& choose) {
  const auto& noun = choose.dice().percent(75) ? thing(choose) : choose.noun(food | drink | event);
  Clause clause{.subject = known(choose, noun), .predicate = predicate(choose, noun)};
  if (choose.dice().percent(30)) clause.tense = Tense::past;
  clause.negated = choose.dice().percent(20);
  return spoken(clause);
}

Draft comparison(Chooser& choose) {
  const auto& first = thing(choose);
  const auto& adjective = choose.adjective(first, true);
  const auto& second = choose.one_of(nouns(), [&](const Noun& noun) {
    return !noun.mass() && (noun.classes & adjective.classes) != 0 && (noun.classes & name) == 0 &&
           (noun.classes & first.classes) != 0;
  });
  auto other = known(choose, second);
  const bool more = choose.dice().percent(65);
  const auto english_word = std::string(more ? adjective.english_comparative : adjective.english);
  const auto german_word = std::string(more ? adjective.german_comparative : adjective.german);
  Clause clause{.subject = known(choose, first)};
  if (more)
    clause.predicate = {english_word + " than " + english(other),
                        german_word + " als " + german(other, Case::nominative)};
  else
    clause.predicate = {"as " + english_word + " as " + english(other),
                        "so " + german_word + " wie " + german(other, Case::nominative)};
  auto draft = spoken(clause);
  draft.note(other);
  draft.combinations.push_back("compared:" + first.english + "+" + second.english);
  return draft;
}

Draft position(Chooser& choose) {
  constexpr std::array<std::array<std::string_view, 2>, 4> prepositions{
      {{"on", "auf"}, {"under", "unter"}, {"behind", "hinter"}, {"next to", "neben"}}};
  Clause clause{.subject = known(choose, choose.noun(flat | upright | gift | pet, text))};
  const auto& side = prepositions.at(choose.dice().below(4));
  clause.places.push_back({side[0], side[1], Case::dative, choose.definite(choose.noun(surface))});
  if (choose.dice().percent(30))
    clause.places.back() = {"in", "in", Case::dative,
                            choose.definite(choose.noun(room | building | outdoors))};
  if (choose.dice().percent(30)) clause.tense = Tense::past;
  clause.negated = choose.dice().percent(20);
  return spoken(clause);
}

Draft putting(Chooser& choose) {
  constexpr std::array<std::array<std::string_view, 2>, 3> prepositions{
      {{"on", "auf"}, {"under", "unter"}, {"next to", "neben"}}};
  const auto& verb = choose.dice().percent(50) ? lay : stand;
  auto clause = choose.clause(verb, choose.subject(person));
  const auto& side = prepositions.at(choose.dice().below(3));
  clause.places = {{side[0], side[1], Case::accusative, choose.definite(choose.noun(surface))}};
  return spoken(clause);
}

Draft passive(Chooser& choose) {
  const auto& verb = choose.verb(
      [](const Verb& v) { return v.frame == Frame::accusative && !v.is(verb_trait::no_passive); });
  Clause clause{.subject = choose.object(choose.noun(verb.objects, name), {}), .verb = &verb};
  clause.passive = true;
  clause.tense = Tense::past;
  const auto roll = choose.dice().below(100);
  if (roll < 15) {
    clause.tense = Tense::present;
    clause.modal = &modals()[choose.dice().below(2)];
  } else if (roll < 30) {
    clause.tense = Tense::future;
  }
  if (choose.dice().percent(55)) {
    auto agent = choose.object(choose.noun(verb.subjects & (person | animal), kin), {});
    clause.places.push_back({"by", "von", Case::dative, agent});
  }
  if (choose.dice().percent(40)) clause.time = choose.time(clause);
  return spoken(clause);
}

Draft music(Chooser& choose) {
  auto clause = choose.clause(play, choose.subject(person));
  clause.negated = false;
  clause.accusative.reset();
  clause.places.clear();
  const auto& instrument_noun = choose.noun(instrument);
  clause.predicate = {"the " + instrument_noun.english, instrument_noun.german};
  if (choose.dice().percent(50)) clause.time = choose.time(clause);
  return spoken(clause);
}

Draft gladly(Chooser& choose) {
  const auto& verb =
      choose.verb([](const Verb& v) { return v.subjects != 0 && !v.is(verb_trait::state); });
  auto clause = choose.plain_clause(verb, choose.somebody());
  clause.gladly = true;
  clause.negated = choose.dice().percent(15) && !clause.accusative;
  return spoken(clause);
}

Draft existence(Chooser& choose) {
  const bool inside = choose.dice().percent(40);
  const PrepositionalPhrase place{"in", "in", Case::dative,
                                  choose.definite(choose.noun(inside ? room : outdoors))};
  auto phrase = choose.object(choose.noun(inside ? furniture | device : animal | plant | high), {});
  phrase.determiner = Determiner::indefinite;
  phrase.owner = nullptr;
  const bool many = phrase.number == Number::plural;
  Draft draft;
  draft.add(many ? "there are" : "there is", german(place) + " gibt es");
  draft.add(join(english(phrase), english(place)), german(phrase, Case::accusative));
  draft.note(phrase);
  draft.note(place.phrase);
  draft.combinations.push_back("existence:" + phrase.noun->english + "+" +
                               place.phrase.noun->english);
  return draft;
}

Draft yes_no_question(Chooser& choose) {
  auto clause = asked(choose, any);
  if (choose.dice().percent(40)) clause.time = choose.time(clause);
  return spoken(clause, Order::question);
}

Draft object_question(Chooser& choose) {
  auto clause = asked(choose, [](const Verb& v) {
    return v.frame == Frame::accusative && v.particle.empty() && v.english_preposition.empty();
  });
  const bool someone = (clause.verb->objects & person) != 0;
  clause.accusative =
      NounPhrase{.form = NounPhrase::Form::question, .pronoun = {.thing = !someone}};
  return spoken(clause, Order::question);
}

Draft subject_question(Chooser& choose) {
  auto clause = asked(choose, [](const Verb& v) { return (v.subjects & person) != 0; });
  clause = choose.clause(*clause.verb, {.form = NounPhrase::Form::question});
  clause.negated = false;
  return spoken(clause, Order::question);
}

Draft place_question(Chooser& choose) {
  auto clause = asked(choose, [](const Verb& v) {
    return v.frame == Frame::accusative || (v.frame == Frame::none && v.prefix.empty());
  });
  clause.places.clear();
  clause.opening = {"where", "wo"};
  return spoken(clause, Order::question);
}

Draft reason_question(Chooser& choose) {
  auto clause = asked(choose, any);
  clause.opening = {"why", "warum"};
  return spoken(clause, Order::question);
}

}  // namespace demo::templates
