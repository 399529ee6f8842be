#pragma once

#include "phrase.h"

#include <optional>
#include <vector>

namespace demo {

/// Tenses as distinguished in English. German: present, present with "gerade", perfect (or the
/// simple past of sein, haben, wissen and the passive), perfect with "schon", future with "werden".
enum class Tense { present, progressive, past, already, future };

/// Position of the finite verb: second, first (English: inverted), or last (English: no change).
enum class Order { statement, question, subordinate };

/// One clause before it is rendered in a language. Without a verb it is a clause with "to be" and a
/// `predicate` or a place.
struct Clause {
  NounPhrase subject;
  const Verb* verb = nullptr;
  Tense tense = Tense::present;
  const Modal* modal = nullptr;  ///< present or past only
  bool negated = false;
  bool passive = false;  ///< past, or with a modal or future
  bool gladly = false;   ///< "likes to" before the verb; present only
  std::optional<NounPhrase> dative = {};
  std::optional<NounPhrase> accusative = {};
  std::vector<PrepositionalPhrase> places = {};  ///< in English order; reversed in German
  const Adverbial* time = nullptr;
  bool time_first = false;
  const Adverbial* manner = nullptr;
  Pair predicate = {};
  Pair opening = {};  ///< an initial question word: "where", "wo"
};

/// The words without capital letter and full stop.
std::string english(const Clause& clause, Order order);
std::string german(const Clause& clause, Order order);

/// "to open the window" and "das Fenster aufzumachen"; the subject is omitted.
std::string english_infinitive(const Clause& clause);
std::string german_infinitive(const Clause& clause);

}  // namespace demo
