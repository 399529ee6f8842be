#include "morphology.h"

#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace demo {

namespace {

enum class Kind { article, der_word, ein_word, fixed };

struct DeterminerRow {
  std::string_view english, english_plural, german;
  Kind kind;
};

const DeterminerRow& row(Determiner determiner) {
  static constexpr std::array<DeterminerRow, 17> rows{{
      {"the", "the", "", Kind::article},
      {"a", "", "ein", Kind::ein_word},
      {"", "", "", Kind::fixed},
      {"this", "these", "dies", Kind::der_word},
      {"every", "", "jed", Kind::der_word},
      {"no", "no", "kein", Kind::ein_word},
      {"my", "my", "mein", Kind::ein_word},
      {"our", "our", "unser", Kind::ein_word},
      {"his", "his", "sein", Kind::ein_word},
      {"her", "her", "ihr", Kind::ein_word},
      {"their", "their", "ihr", Kind::ein_word},
      {"", "two", "zwei", Kind::fixed},
      {"", "three", "drei", Kind::fixed},
      {"", "four", "vier", Kind::fixed},
      {"", "many", "viel", Kind::der_word},
      {"", "some", "einig", Kind::der_word},
      {"", "all", "all", Kind::der_word},
  }};
  return rows.at(static_cast<std::size_t>(determiner));
}

/// Columns: masculine, feminine, neuter, plural. Rows: the four cases.
using Table = std::array<std::array<std::string_view, 4>, 4>;

constexpr Table articles{{{"der", "die", "das", "die"},
                          {"den", "die", "das", "die"},
                          {"dem", "der", "dem", "den"},
                          {"des", "der", "des", "der"}}};
constexpr Table der_endings{{{"er", "e", "es", "e"},
                             {"en", "e", "es", "e"},
                             {"em", "er", "em", "en"},
                             {"es", "er", "es", "er"}}};
constexpr Table ein_endings{
    {{"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}}};
constexpr Table strong{{{"er", "e", "es", "e"},
                        {"en", "e", "es", "e"},
                        {"em", "er", "em", "en"},
                        {"en", "er", "en", "er"}}};
constexpr Table weak{{{"e", "e", "e", "en"},
                      {"en", "e", "e", "en"},
                      {"en", "en", "en", "en"},
                      {"en", "en", "en", "en"}}};
constexpr Table mixed{{{"er", "e", "es", "en"},
                       {"en", "e", "es", "en"},
                       {"en", "en", "en", "en"},
                       {"en", "en", "en", "en"}}};

std::string_view cell(const Table& table, Gender gender, Number number, Case case_) {
  const auto column = number == Number::plural ? 3U : static_cast<std::size_t>(gender);
  return table.at(static_cast<std::size_t>(case_)).at(column);
}

}  // namespace

std::string german_determiner(Determiner determiner, Gender gender, Number number, Case case_) {
  const auto& entry = row(determiner);
  if (determiner == Determiner::indefinite && number == Number::plural) return "";
  if (entry.kind == Kind::article) return std::string(cell(articles, gender, number, case_));
  if (entry.kind == Kind::fixed) return std::string(entry.german);
  const auto& endings = entry.kind == Kind::der_word ? der_endings : ein_endings;
  return std::string(entry.german).append(cell(endings, gender, number, case_));
}

std::string english_determiner(Determiner determiner, Number number) {
  const auto& entry = row(determiner);
  return std::string(number == Number::plural ? entry.english_plural : entry.english);
}

std::string_view adjective_ending(Determiner determiner, Gender gender, Number number, Case case_) {
  const auto kind = row(determiner).kind;
  const bool bare = kind == Kind::fixed || determiner == Determiner::many ||
                    determiner == Determiner::some ||
                    (determiner == Determiner::indefinite && number == Number::plural);
  if (bare) return cell(strong, gender, number, case_);
  return cell(kind == Kind::ein_word ? mixed : weak, gender, number, case_);
}

std::string german_pronoun(const Agreement& who, Case case_) {
  const auto at = static_cast<std::size_t>(case_);
  if (at > 2) throw std::logic_error("demo: pronouns have no genitive here");
  if (who.person == Person::first) {
    constexpr std::array<std::string_view, 3> one{"ich", "mich", "mir"};
    constexpr std::array<std::string_view, 3> more{"wir", "uns", "uns"};
    return std::string(who.number == Number::plural ? more.at(at) : one.at(at));
  }
  constexpr Table third{{{"er", "sie", "es", "sie"},
                         {"ihn", "sie", "es", "sie"},
                         {"ihm", "ihr", "ihm", "ihnen"},
                         {}}};
  return std::string(cell(third, who.gender, who.number, case_));
}

std::string german_reflexive(const Agreement& who) {
  return who.person == Person::first ? german_pronoun(who, Case::accusative) : "sich";
}

std::string german_relative(const Agreement& who, Case case_) {
  if (who.number == Number::plural && case_ == Case::dative) return "denen";
  return std::string(cell(articles, who.gender, who.number, case_));
}

std::string english_pronoun(const Agreement& who, bool subject) {
  if (who.person == Person::first) {
    if (who.number == Number::plural) return subject ? "we" : "us";
    return subject ? "I" : "me";
  }
  if (who.number == Number::plural) return subject ? "they" : "them";
  if (who.thing) return "it";
  if (who.gender == Gender::feminine) return subject ? "she" : "her";
  return subject ? "he" : "him";
}

Determiner possessive_of(const Agreement& who) {
  if (who.person == Person::first)
    return who.number == Number::plural ? Determiner::our : Determiner::my;
  if (who.number == Number::plural) return Determiner::their;
  return who.gender == Gender::feminine ? Determiner::her : Determiner::his;
}

std::string with_preposition(std::string_view preposition, const std::string& phrase) {
  struct Contraction {
    std::string_view preposition, article, contracted;
  };
  static constexpr std::array<Contraction, 8> contractions{{{"in", "dem ", "im "},
                                                            {"in", "das ", "ins "},
                                                            {"an", "dem ", "am "},
                                                            {"an", "das ", "ans "},
                                                            {"von", "dem ", "vom "},
                                                            {"zu", "dem ", "zum "},
                                                            {"zu", "der ", "zur "},
                                                            {"bei", "dem ", "beim "}}};
  for (const auto& entry : contractions)
    if (preposition == entry.preposition && phrase.starts_with(entry.article))
      return std::string(entry.contracted) + phrase.substr(entry.article.size());
  return join(preposition, phrase);
}

std::string join(std::string_view left, std::string_view right) {
  std::string joined(left);
  if (!left.empty() && !right.empty()) joined += ' ';
  return joined.append(right);
}

std::string with_an(const std::string& words) {
  constexpr std::string_view vowels = "aeiou";
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += words[i];
    const bool begins = words[i] == 'a' && (i == 0 || words[i - 1] == ' ');
    if (begins && i + 2 < words.size() && words[i + 1] == ' ' &&
        vowels.find(words[i + 2]) != std::string_view::npos)
      result += 'n';
  }
  return result;
}

std::string sentence_case(std::string words) {
  const auto first = static_cast<unsigned char>(words.empty() ? '\0' : words[0]);
  if (std::isalpha(first) == 0 && first != 0xC3U)
    throw std::logic_error("demo: no sentence can begin with '" + words + "'");
  if (first < 0x80U) words[0] = static_cast<char>(std::toupper(first));
  return words;
}

}  // namespace demo
