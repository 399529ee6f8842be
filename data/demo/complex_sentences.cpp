#include "templates.h"

#include <array>

namespace demo::templates {

namespace {

using namespace noun_class;

constexpr auto person_only = static_cast<std::uint32_t>(person);

const std::array<Verb, 4>& speech_verbs() {
  static const std::array<Verb, 4> table{{
      {"say", "says", "said", "said", "saying", "", "", "", "sagen", "sage", "sagt", "gesagt",
       Frame::none, person, 0},
      {"know", "knows", "knew", "known", "knowing", "", "", "", "wissen", "weiß", "weiß", "gewusst",
       Frame::none, person, 0, verb_trait::state, "", Case::accusative, "wusste"},
      {"hope", "hopes", "hoped", "hoped", "hoping", "", "", "", "hoffen", "hoffe", "hofft",
       "gehofft", Frame::none, person, 0},
      {"believe", "believes", "believed", "believed", "believing", "", "", "", "glauben", "glaube",
       "glaubt", "geglaubt", Frame::none, person, 0},
  }};
  return table;
}

const Verb attempt_verb{"try",      "tries",    "tried",     "tried",     "trying",
                        "",         "",         "",          "versuchen", "versuche",
                        "versucht", "versucht", Frame::none, person,      0};

/// The pronoun he, she, they or it for a subject; first persons are unchanged.
NounPhrase again(const NounPhrase& phrase) {
  return standing_for(phrase, NounPhrase::Form::pronoun);
}

/// A state that may be the reason for something: "because he is tired".
Clause mood(Chooser& choose, const NounPhrase& who) {
  static constexpr std::array<std::string_view, 7> words{"tired", "hungry", "happy", "sad",
                                                         "rich",  "clever", "old"};
  const auto& adjective = find_adjective(words.at(choose.dice().below(words.size())));
  Clause clause{.subject = who};
  clause.predicate = {std::string(adjective.english), std::string(adjective.german)};
  if (choose.dice().percent(35))
    clause.predicate = {"very " + clause.predicate.english, "sehr " + clause.predicate.german};
  return clause;
}

/// The property that an adjective describes: two of the same kind exclude each other ("green, but
/// yellow").
std::string_view kind_of(const Adjective& adjective) {
  struct Group {
    std::string_view kind, members;
  };
  static constexpr std::array<Group, 8> groups{
      {{"colour", " red blue green yellow black white brown dark "},
       {"age", " old new young modern "},
       {"size", " big small tall thick "},
       {"price", " expensive cheap "},
       {"length", " long short "},
       {"heat", " hot cold warm "},
       {"dirt", " clean dirty "},
       {"noise", " quiet loud "}}};
  const auto word = " " + std::string(adjective.english) + " ";
  for (const auto& group : groups)
    if (group.members.find(word) != std::string_view::npos) return group.kind;
  return adjective.english;
}

/// Whether `noun` can be the plain object of `verb`.
bool takes(const Verb& verb, const Noun& noun) {
  return verb.frame == Frame::accusative && (verb.objects & noun.classes) != 0;
}

}  // namespace

Draft speech(Chooser& choose) {
  const auto& verb = speech_verbs().at(choose.dice().below(4));
  Clause main{.subject = choose.subject(person_only), .verb = &verb};
  if (choose.dice().percent(30) && verb.base == "say") main.tense = Tense::past;
  Draft draft;
  draft.add(main, Order::statement);
  draft.add("that", ", dass");
  draft.add(choose.any_clause(), Order::subordinate);
  return draft;
}

Draft indirect_question(Chooser& choose) {
  Clause main{.subject = choose.subject(person_only), .verb = &speech_verbs().at(1)};
  main.negated = true;
  auto clause = choose.any_clause();
  clause.negated = false;
  Draft draft;
  draft.add(main, Order::statement);
  if (choose.dice().percent(50)) {
    draft.add("whether", ", ob");
  } else {
    draft.add("why", ", warum");
  }
  draft.add(clause, Order::subordinate);
  return draft;
}

Draft reason(Chooser& choose) {
  const auto who = choose.somebody();
  Draft draft;
  const auto& first = choose.verb([](const Verb& v) {
    return v.frame == Frame::accusative && v.base != "need" && v.base != "have";
  });
  const auto main = choose.clause(first, who);
  draft.add(main, Order::statement);
  draft.add("because", ", weil");
  const bool no_thing = !main.accusative || main.accusative->form != NounPhrase::Form::full ||
                        main.accusative->noun->neuter_person();
  if (no_thing || main.negated || choose.dice().percent(35)) {
    auto state = mood(choose, again(who));
    if (main.tense == Tense::past) state.tense = Tense::past;
    draft.add(state, Order::subordinate);
    return draft;
  }
  const auto& noun = *main.accusative->noun;
  const auto& second = choose.verb([&](const Verb& v) {
    return takes(v, noun) && v.base != first.base && (v.subjects & person) != 0;
  });
  Clause clause{.subject = again(who), .verb = &second};
  const auto& want = find_modal("want to");
  if (!second.is(verb_trait::no_modal | verb_trait::lasting)) clause.modal = &want;
  if (main.tense == Tense::past) clause.tense = Tense::past;
  clause.accusative = again(*main.accusative);
  draft.add(clause, Order::subordinate);
  return draft;
}

Draft condition_first(Chooser& choose) {
  const auto who = choose.somebody();
  const auto& verb = choose.verb(
      [](const Verb& v) { return (v.subjects & person) != 0 && !v.is(verb_trait::state); });
  auto condition = choose.dice().percent(30) ? mood(choose, who) : choose.plain_clause(verb, who);
  const auto& second = choose.verb([&](const Verb& v) {
    return (v.subjects & person) != 0 && !v.is(verb_trait::state) &&
           v.infinitive != verb.infinitive;
  });
  auto main = choose.plain_clause(second, again(who));
  main.tense = choose.dice().percent(50) ? Tense::future : Tense::present;
  Draft draft;
  draft.add("if", "wenn");
  draft.add(condition, Order::subordinate);
  draft.words.english += ",";
  draft.words.german += ",";
  draft.words.english = join(draft.words.english, english(main, Order::statement));
  draft.words.german = join(draft.words.german, german(main, Order::question));
  Draft noted;
  noted.add(main, Order::question);
  draft.combinations.insert(draft.combinations.end(), noted.combinations.begin(),
                            noted.combinations.end());
  draft.nouns.insert(draft.nouns.end(), noted.nouns.begin(), noted.nouns.end());
  return draft;
}

Draft contrast(Chooser& choose) {
  const auto who = choose.somebody();
  const auto& verb = choose.verb([](const Verb& v) { return (v.subjects & person) != 0; });
  auto main = choose.clause(verb, who);
  Draft draft;
  draft.add(main, Order::statement);
  draft.add("although", ", obwohl");
  if (choose.dice().percent(40)) {
    auto state = mood(choose, again(who));
    state.negated = choose.dice().percent(30);
    if (main.tense == Tense::past) state.tense = Tense::past;
    draft.add(state, Order::subordinate);
    return draft;
  }
  const auto& second = choose.verb(
      [&](const Verb& v) { return (v.subjects & person) != 0 && v.infinitive != verb.infinitive; });
  draft.add(choose.clause(second, again(who)), Order::subordinate);
  return draft;
}

Draft subject_relative(Chooser& choose) {
  auto head = choose.subject(person | animal);
  while (head.form != NounPhrase::Form::full || (head.noun->classes & name) != 0 ||
         (head.noun->classes & kin) != 0 || head.determiner == Determiner::every ||
         head.determiner == Determiner::this_one)
    head = choose.subject(person | animal);
  const auto kind = head.noun->classes & (person | animal);
  const auto& verb = choose.verb([&](const Verb& v) { return (v.subjects & kind) != 0; });
  auto inner = choose.clause(verb, standing_for(head, NounPhrase::Form::relative));
  Draft draft;
  draft.add(inner, Order::subordinate);
  head.clause = {" " + draft.words.english, ", " + draft.words.german + ","};
  draft.words = {};
  Clause main{.subject = head};
  const auto& adjective = choose.adjective(*head.noun);
  main.predicate = {std::string(adjective.english), std::string(adjective.german)};
  draft.add(main, Order::statement);
  return draft;
}

Draft object_relative(Chooser& choose) {
  const auto& outer = choose.verb([](const Verb& v) {
    return v.frame == Frame::accusative && v.prefix.empty() && v.particle.empty() &&
           !v.is(verb_trait::state);
  });
  Clause main{.subject = choose.subject(person_only), .verb = &outer};
  NounPhrase head = choose.definite(choose.noun(outer.objects, name));
  const auto& inner_verb = choose.verb([&](const Verb& v) {
    return takes(v, *head.noun) && v.base != outer.base && v.particle.empty() &&
           v.english_preposition.empty();
  });
  auto inner = choose.clause(inner_verb, choose.subject(person_only));
  inner.accusative = standing_for(head, NounPhrase::Form::relative);
  inner.negated = false;
  Draft draft;
  draft.add(inner, Order::subordinate);
  head.clause = {" " + draft.words.english, ", " + draft.words.german + ","};
  main.accusative = head;
  draft.words = {};
  draft.add(main, Order::statement);
  return draft;
}

Draft purpose(Chooser& choose) {
  const auto who = choose.somebody();
  const auto& motion = choose.verb(
      [](const Verb& v) { return v.frame == Frame::motion && (v.subjects & person) != 0; });
  auto main = choose.plain_clause(motion, who);
  if (choose.dice().percent(40)) main.tense = Tense::past;
  const auto& verb = choose.verb([](const Verb& v) {
    return (v.subjects & person) != 0 && v.frame != Frame::motion && v.frame != Frame::none &&
           !v.is(verb_trait::state);
  });
  Draft draft;
  draft.add(main, Order::statement);
  draft.add("in order", ", um");
  draft.add_infinitive(choose.plain_clause(verb, who));
  return draft;
}

Draft attempt(Chooser& choose) {
  const auto who = choose.somebody();
  Clause main{.subject = who, .verb = &attempt_verb};
  main.tense = choose.dice().percent(50) ? Tense::past : Tense::present;
  main.negated = choose.dice().percent(15);
  const auto& verb = choose.verb([](const Verb& v) {
    return (v.subjects & person) != 0 && v.frame != Frame::none && !v.is(verb_trait::state);
  });
  Draft draft;
  draft.add(main, Order::statement);
  draft.add("", ",");
  draft.add_infinitive(choose.plain_clause(verb, who));
  return draft;
}

Draft two_clauses(Chooser& choose) {
  Draft draft;
  draft.add(choose.any_clause(), Order::statement);
  if (choose.dice().percent(65)) {
    draft.words.english += ",";
    draft.add("and", "und");
  } else {
    draft.words.english += ",";
    draft.words.german += ",";
    draft.add("but", "aber");
  }
  draft.add(choose.any_clause(), Order::statement);
  return draft;
}

Draft thing_again(Chooser& choose) {
  const auto& noun =
      choose.noun(clothing | furniture | upright | vehicle | device | flat | building | room);
  NounPhrase phrase{.noun = &noun};
  if (choose.dice().percent(30)) phrase.determiner = Determiner::this_one;
  if (choose.dice().percent(25)) phrase.number = Number::plural;
  const auto& first = choose.adjective(noun);
  const auto& second = choose.one_of(adjectives(), [&](const Adjective& a) {
    return (a.classes & noun.classes) != 0 && kind_of(a) != kind_of(first);
  });
  Clause main{.subject = phrase};
  main.predicate = {std::string(first.english), std::string(first.german)};
  Clause other{.subject = again(phrase), .negated = choose.dice().percent(50)};
  other.predicate = {std::string(second.english), std::string(second.german)};
  if (choose.dice().percent(30)) main.tense = other.tense = Tense::past;
  Draft draft;
  draft.add(main, Order::statement);
  draft.words.english += ",";
  draft.words.german += ",";
  draft.add("but", "aber");
  draft.add(other, Order::statement);
  draft.combinations.push_back("adjective:" + std::string(first.english) + "+" + noun.english);
  draft.combinations.push_back("adjective:" + std::string(second.english) + "+" + noun.english);
  return draft;
}

}  // namespace demo::templates
