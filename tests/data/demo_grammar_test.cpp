#include "demo/clause.h"
#include "demo/morphology.h"
#include "demo/sentences.h"
#include "support/catch.h"

namespace demo_grammar_test {

using demo::Case;
using demo::Clause;
using demo::Determiner;
using demo::find_adjective;
using demo::find_noun;
using demo::find_verb;
using demo::Gender;
using demo::NounPhrase;
using demo::Number;
using demo::Order;
using demo::Tense;

namespace {

NounPhrase phrase(std::string_view noun, Determiner determiner = Determiner::definite,
                  std::string_view adjective = "", Number number = Number::singular) {
  NounPhrase phrase{.noun = &find_noun(noun), .determiner = determiner, .number = number};
  if (!adjective.empty()) phrase.adjective = &find_adjective(adjective);
  return phrase;
}

NounPhrase name(std::string_view who) { return phrase(who, Determiner::none); }

NounPhrase pronoun(const NounPhrase& of) {
  return demo::standing_for(of, NounPhrase::Form::pronoun);
}

std::string with(std::string_view preposition, Case case_, const NounPhrase& phrase) {
  return demo::german(demo::PrepositionalPhrase{"", preposition, case_, phrase});
}

/// Both languages of a statement, as the corpus prints them.
std::string said(const Clause& clause, Order order = Order::statement) {
  const auto pair = demo::finish({demo::english(clause, order), demo::german(clause, order)},
                                 order == Order::question ? '?' : '.');
  return pair.english + " | " + pair.german;
}

Clause opening(std::string_view subject = "woman") {
  return {.subject = phrase(subject), .verb = &find_verb("open"), .accusative = phrase("window")};
}

}  // namespace

TEST_CASE("adjective endings follow case, gender and article", "[unit]") {
  CHECK(with("mit", Case::dative, phrase("dog", Determiner::definite, "old")) ==
        "mit dem alten Hund");
  CHECK(with("mit", Case::dative, phrase("cat", Determiner::indefinite, "old")) ==
        "mit einer alten Katze");
  CHECK(with("für", Case::accusative, phrase("dog", Determiner::indefinite, "old")) ==
        "für einen alten Hund");
  CHECK(demo::german(phrase("dog", Determiner::indefinite, "old"), Case::nominative) ==
        "ein alter Hund");
  CHECK(demo::german(phrase("horse", Determiner::my, "old"), Case::accusative) ==
        "mein altes Pferd");
  CHECK(demo::german(phrase("milk", Determiner::none, "cold"), Case::accusative) == "kalte Milch");
  CHECK(demo::german(phrase("tea", Determiner::none, "hot"), Case::dative) == "heißem Tee");
  CHECK(demo::german(phrase("car", Determiner::indefinite, "expensive"), Case::accusative) ==
        "ein teures Auto");
  CHECK(demo::german(phrase("tower", Determiner::this_one, "tall"), Case::accusative) ==
        "diesen hohen Turm");
}

TEST_CASE("plurals have their own forms, including a dative", "[unit]") {
  const auto many = Number::plural;
  CHECK(demo::german(phrase("house", Determiner::three, "old", many), Case::dative) ==
        "drei alten Häusern");
  CHECK(demo::german(phrase("child", Determiner::many, "clever", many), Case::nominative) ==
        "viele kluge Kinder");
  CHECK(demo::german(phrase("car", Determiner::definite, "new", many), Case::dative) ==
        "den neuen Autos");
  CHECK(demo::english(phrase("mouse", Determiner::this_one, "", many)) == "these mice");
}

TEST_CASE("weak nouns take an ending in every case except the nominative", "[unit]") {
  CHECK(demo::german(phrase("bear"), Case::nominative) == "der Bär");
  CHECK(demo::german(phrase("bear"), Case::accusative) == "den Bären");
  CHECK(demo::german(phrase("boy"), Case::dative) == "dem Jungen");
}

TEST_CASE("owners are in the genitive", "[unit]") {
  auto dog = phrase("dog", Determiner::definite, "old");
  dog.owner = &find_noun("man");
  CHECK(demo::german(dog, Case::dative) == "dem alten Hund des Mannes");
  CHECK(demo::english(dog) == "the man's old dog");
  dog.owner = &find_noun("Anna");
  CHECK(demo::german(dog, Case::accusative) == "Annas alten Hund");
}

TEST_CASE("prepositions and articles contract", "[unit]") {
  CHECK(with("in", Case::dative, phrase("garden")) == "im Garten");
  CHECK(with("in", Case::accusative, phrase("theater")) == "ins Theater");
  CHECK(with("zu", Case::dative, phrase("bakery")) == "zur Bäckerei");
  CHECK(with("von", Case::dative, phrase("king", Determiner::definite, "old")) ==
        "vom alten König");
  CHECK(with("auf", Case::dative, phrase("kitchen table")) == "auf dem Küchentisch");
}

TEST_CASE("compounds take the gender of their head", "[unit]") {
  CHECK(demo::german(phrase("plum juice"), Case::nominative) == "der Pflaumensaft");
  CHECK(demo::german(phrase("summer dress", Determiner::definite, "", Number::plural),
                     Case::dative) == "den Sommerkleidern");
}

TEST_CASE("pronouns have the gender of the German noun", "[unit]") {
  CHECK(demo::german(pronoun(phrase("key")), Case::nominative) == "er");
  CHECK(demo::german(pronoun(phrase("clock")), Case::accusative) == "sie");
  CHECK(demo::german(pronoun(phrase("book")), Case::nominative) == "es");
  CHECK(demo::english(pronoun(phrase("key")), true) == "it");
  CHECK(demo::english(pronoun(phrase("queen"))) == "her");
}

TEST_CASE("a separable prefix is split off, joined, or combined with zu and ge", "[unit]") {
  auto clause = opening();
  CHECK(said(clause) == "The woman opens the window. | Die Frau macht das Fenster auf.");
  CHECK(demo::german(clause, Order::subordinate) == "die Frau das Fenster aufmacht");
  CHECK(demo::german_infinitive(clause) == "das Fenster aufzumachen");
  clause.tense = Tense::past;
  CHECK(said(clause) == "The woman opened the window. | Die Frau hat das Fenster aufgemacht.");
  clause.tense = Tense::future;
  CHECK(said(clause) == "The woman will open the window. | Die Frau wird das Fenster aufmachen.");
}

TEST_CASE("the finite verb is second in statements, first in questions, last after weil",
          "[unit]") {
  auto clause = opening();
  clause.modal = &demo::find_modal("want to");
  CHECK(demo::german(clause, Order::subordinate) == "die Frau das Fenster aufmachen will");
  CHECK(said(clause, Order::question) ==
        "Does the woman want to open the window? | Will die Frau das Fenster aufmachen?");
  clause.time = &demo::find_time("tomorrow");
  clause.time_first = true;
  CHECK(
      said(clause) ==
      "Tomorrow the woman wants to open the window. | Morgen will die Frau das Fenster aufmachen.");
}

TEST_CASE("kein negates nouns with no article or an indefinite one", "[unit]") {
  Clause clause{.subject = name("Paul"), .verb = &find_verb("buy"), .negated = true};
  clause.accusative = phrase("apple", Determiner::indefinite, "red");
  CHECK(said(clause) == "Paul does not buy a red apple. | Paul kauft keinen roten Apfel.");
  clause.accusative = phrase("milk", Determiner::none);
  CHECK(said(clause) == "Paul does not buy milk. | Paul kauft keine Milch.");
  clause.accusative = phrase("summer hat", Determiner::his);
  CHECK(said(clause) == "Paul does not buy his summer hat. | Paul kauft seinen Sommerhut nicht.");
}

TEST_CASE("nicht follows a known object and the time, and precedes a goal", "[unit]") {
  Clause clause{.subject = phrase("man"), .verb = &find_verb("buy"), .negated = true};
  clause.accusative = phrase("car");
  clause.time = &demo::find_time("today");
  CHECK(demo::german(clause, Order::statement) == "der Mann kauft das Auto heute nicht");
  clause.tense = Tense::already;
  clause.time = nullptr;
  CHECK(said(clause) ==
        "The man has not bought the car yet. | Der Mann hat das Auto noch nicht gekauft.");
  Clause way{.subject = phrase("man"), .verb = &find_verb("go"), .negated = true};
  way.places.push_back({"to", "in", Case::accusative, phrase("school")});
  CHECK(said(way) == "The man does not go to the school. | Der Mann geht nicht in die Schule.");
}

TEST_CASE("the dative precedes the accusative unless that is a pronoun", "[unit]") {
  Clause clause{.subject = phrase("woman"), .verb = &find_verb("give"), .tense = Tense::past};
  clause.dative = phrase("boy");
  clause.accusative = phrase("apple", Determiner::indefinite);
  CHECK(said(clause) ==
        "The woman gave the boy an apple. | Die Frau hat dem Jungen einen Apfel gegeben.");
  clause.accusative = pronoun(phrase("apple"));
  CHECK(said(clause) == "The woman gave it to the boy. | Die Frau hat ihn dem Jungen gegeben.");
}

TEST_CASE("verbs of motion form their perfect with sein", "[unit]") {
  Clause clause{.subject = phrase("actress", Determiner::two, "", Number::plural),
                .verb = &find_verb("run"),
                .tense = Tense::past};
  clause.places.push_back({"to", "in", Case::accusative, phrase("garden")});
  CHECK(said(clause) ==
        "Two actresses ran to the garden. | Zwei Schauspielerinnen sind in den Garten gelaufen.");
}

TEST_CASE("the passive names its agent with von", "[unit]") {
  Clause clause{.subject = phrase("bridge", Determiner::definite, "old"),
                .verb = &find_verb("build"),
                .tense = Tense::past,
                .passive = true};
  clause.places.push_back({"by", "von", Case::dative, phrase("king")});
  CHECK(said(clause) ==
        "The old bridge was built by the king. | Die alte Brücke wurde vom König gebaut.");
  CHECK(demo::german(clause, Order::subordinate) == "die alte Brücke vom König gebaut wurde");
}

TEST_CASE("sich precedes a noun and follows a pronoun", "[unit]") {
  Clause clause{.subject = phrase("woman"), .verb = &find_verb("look forward to")};
  clause.places.push_back({"to", "auf", Case::accusative, phrase("festival")});
  CHECK(said(clause) ==
        "The woman looks forward to the festival. | Die Frau freut sich auf das Fest.");
  CHECK(demo::german(clause, Order::subordinate) == "sich die Frau auf das Fest freut");
  clause.subject = pronoun(clause.subject);
  CHECK(demo::german(clause, Order::subordinate) == "sie sich auf das Fest freut");
}

TEST_CASE("an object pronoun does not precede a subject it could be mistaken for", "[unit]") {
  Clause clause{.subject = phrase("boy"), .verb = &find_verb("see")};
  clause.accusative = pronoun(phrase("man"));
  CHECK(demo::german(clause, Order::subordinate) == "ihn der Junge sieht");
  clause.accusative = pronoun(phrase("woman"));
  CHECK(demo::german(clause, Order::subordinate) == "der Junge sie sieht");
}

TEST_CASE("relative clauses take number and gender from the noun, case from their verb", "[unit]") {
  const auto children = phrase("child", Determiner::definite, "", Number::plural);
  auto clause = opening();
  clause.accusative = demo::standing_for(phrase("gate"), NounPhrase::Form::relative);
  CHECK(demo::german(clause, Order::subordinate) == "das die Frau aufmacht");
  Clause help{.subject = demo::standing_for(children, NounPhrase::Form::relative),
              .verb = &find_verb("help")};
  help.dative = phrase("man");
  CHECK(demo::english(help, Order::subordinate) == "who help the man");
  CHECK(demo::german(help, Order::subordinate) == "die dem Mann helfen");
}

TEST_CASE("question words take the case of what they ask for", "[unit]") {
  Clause clause{.subject = phrase("duck"), .verb = &find_verb("hear")};
  clause.accusative = NounPhrase{.form = NounPhrase::Form::question};
  CHECK(said(clause, Order::question) == "Who does the duck hear? | Wen hört die Ente?");
  Clause who{.subject = {.form = NounPhrase::Form::question}, .verb = &find_verb("help")};
  who.dative = phrase("princess");
  CHECK(said(who, Order::question) == "Who helps the princess? | Wer hilft der Prinzessin?");
}

TEST_CASE("likes to becomes gern", "[unit]") {
  Clause clause{.subject = name("Clara"), .verb = &find_verb("bake"), .gladly = true};
  clause.accusative = phrase("apple cake", Determiner::indefinite, "", Number::plural);
  CHECK(said(clause) == "Clara likes to bake apple cakes. | Clara backt gern Apfelkuchen.");
}

TEST_CASE("a becomes an before a vowel", "[unit]") {
  CHECK(demo::with_an("he eats a apple and a old egg in a garden") ==
        "he eats an apple and an old egg in a garden");
}

}  // namespace demo_grammar_test
