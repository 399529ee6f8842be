#pragma once

#include "morphology.h"

#include <span>
#include <string>
#include <string_view>

/// The words of the demo corpus with their forms and the classes that determine what goes together.
namespace demo {

/// Meaning classes of nouns; a set of them is the union of their bits.
namespace noun_class {
enum Class : std::uint32_t {
  person = 1U << 0,
  kin = 1U << 1,
  animal = 1U << 2,
  food = 1U << 3,
  drink = 1U << 4,
  clothing = 1U << 5,
  furniture = 1U << 6,
  upright = 1U << 7,
  flat = 1U << 8,
  text = 1U << 9,
  vehicle = 1U << 10,
  building = 1U << 11,
  room = 1U << 12,
  outdoors = 1U << 13,
  plant = 1U << 14,
  opening = 1U << 15,
  device = 1U << 16,
  instrument = 1U << 17,
  event = 1U << 18,
  baked = 1U << 19,
  cooked = 1U << 20,
  fruit = 1U << 21,
  name = 1U << 22,
  surface = 1U << 23,
  built = 1U << 24,
  holder = 1U << 25,
  hangable = 1U << 26,
  blade = 1U << 27,
  pet = 1U << 28,
  gift = 1U << 29,
  grown = 1U << 30,
  high = 1U << 31
};
}  // namespace noun_class

/// A noun. `mass` nouns have no plural; `weak` ones take the plural form in all cases except the
/// nominative; `genitive` is the ending of masculine and neuter singulars.
struct Noun {
  std::string english, english_plural, german;
  Gender gender;
  std::string genitive, german_plural;
  std::uint32_t classes;
  std::string into = "";  ///< German preposition of direction: "in" or "zu"

  bool mass() const { return german_plural.empty(); }
  bool weak() const { return genitive == "weak"; }
  /// Persons without an obvious pronoun: das Mädchen, das Kind.
  bool neuter_person() const {
    return gender == Gender::neuter && (classes & noun_class::person) != 0;
  }
};

std::string german_noun(const Noun& noun, Number number, Case case_);
std::string english_noun(const Noun& noun, Number number);

struct Adjective {
  std::string_view english, english_comparative, german, stem, german_comparative;
  std::uint32_t classes;  ///< classes of nouns it goes with
};

/// The objects that a verb requires.
enum class Frame { none, accusative, dative, both, preposition, motion };

/// Special properties of a verb.
namespace verb_trait {
enum Trait : std::uint32_t {
  sein = 1,        ///< perfect with "sein"
  reflexive = 2,   ///< German "sich"
  state = 4,       ///< no progressive, no "already"
  no_passive = 8,  ///< the passive would be unnatural
  no_modal = 16,   ///< no modal verb
  lasting = 32,    ///< no modal verb, no future, no time: "like"
};
}  // namespace verb_trait

/// A verb. English particle ("tidies up") and preposition ("looks for") are stored separately; a
/// separable German prefix is in `prefix`. `past_third` is set if the simple past is the common
/// past tense (war, hatte).
struct Verb {
  std::string_view base, third, past, participle, ing, particle, english_preposition;
  std::string_view prefix, infinitive, first, german_third, german_participle;
  Frame frame;
  std::uint32_t subjects, objects;
  std::uint32_t traits = 0;
  std::string_view german_preposition = "";
  Case preposition_case = Case::accusative;
  std::string_view past_third = "";

  bool is(std::uint32_t trait) const { return (traits & trait) != 0; }
};

/// A verb before another verb's infinitive.
struct Modal {
  enum class Kind { auxiliary, lexical, be } kind;
  std::string_view base, third, past;  ///< English; auxiliary: `base` only
  std::string_view infinitive, german_third, german_past;
  bool may_negate;
};

/// When or how often, as a bit set of compatible tenses.
namespace time_class {
enum Time : std::uint32_t { habit = 1, now = 2, before = 4, later = 8 };
}  // namespace time_class

struct Adverbial {
  std::string_view english, german;
  std::uint32_t times;
  bool middle = false;  ///< before the English verb: "often"
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();
std::span<const Modal> modals();
std::span<const Adverbial> times();
std::span<const Adverbial> manners();

/// \throws std::logic_error if there is no such word.
const Noun& find_noun(std::string_view english);
const Adjective& find_adjective(std::string_view english);
/// By the English base with particle or preposition: "tidy up", "wait for".
const Verb& find_verb(std::string_view english);
const Modal& find_modal(std::string_view english);
const Adverbial& find_time(std::string_view english);

}  // namespace demo
