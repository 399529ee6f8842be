#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The inflection of the demo corpus: closed word classes of German and English as tables.
namespace demo {

enum class Gender { masculine, feminine, neuter };
enum class Case { nominative, accusative, dative, genitive };
enum class Number { singular, plural };
enum class Person { first, third };

/// What precedes a noun. Owners agree with the owner in English and with the noun in German.
enum class Determiner {
  definite,
  indefinite,
  none,
  this_one,
  every,
  no,
  my,
  our,
  his,
  her,
  their,
  two,
  three,
  four,
  many,
  some,
  all
};

/// "der", "einem", "keine", "" for none or an indefinite plural.
std::string german_determiner(Determiner determiner, Gender gender, Number number, Case case_);

/// "the", "these", "my"; "a" for every indefinite singular (`join_english` makes it "an").
std::string english_determiner(Determiner determiner, Number number);

/// The ending of an adjective after `determiner`: "en" in "mit dem alten Hund".
std::string_view adjective_ending(Determiner determiner, Gender gender, Number number, Case case_);

/// What a verb or a pronoun agrees with.
struct Agreement {
  Person person = Person::third;
  Number number = Number::singular;
  Gender gender = Gender::masculine;
  bool thing = false;  ///< "it" in English, regardless of the German gender
};

std::string german_pronoun(const Agreement& who, Case case_);
std::string german_reflexive(const Agreement& who);
std::string german_relative(const Agreement& who, Case case_);
std::string english_pronoun(const Agreement& who, bool subject);
Determiner possessive_of(const Agreement& who);

/// Preposition and phrase, contracted as in German: "in" + "dem Haus" = "im Haus".
std::string with_preposition(std::string_view preposition, const std::string& phrase);

/// `left` and `right` with one space between them if neither is empty.
std::string join(std::string_view left, std::string_view right);

/// An English sentence's words with "a" as "an" before a vowel.
std::string with_an(const std::string& words);

/// Capitalises the first letter. \throws std::logic_error unless it is an ASCII letter or a capital
/// umlaut.
std::string sentence_case(std::string words);

}  // namespace demo
