#include "lexicon.h"

#include <stdexcept>
#include <vector>

namespace demo {

namespace {

using namespace time_class;

}  // namespace

std::span<const Modal> modals() {
  using enum Modal::Kind;
  static const std::vector<Modal> table{
      {auxiliary, "can", "", "", "können", "kann", "konnte", true},
      {auxiliary, "must", "", "", "müssen", "muss", "musste", false},
      {lexical, "want to", "wants to", "wanted to", "wollen", "will", "wollte", true},
      {lexical, "have to", "has to", "had to", "müssen", "muss", "musste", true},
      {be, "allowed to", "", "", "dürfen", "darf", "durfte", true},
  };
  return table;
}

std::span<const Adverbial> times() {
  static const std::vector<Adverbial> table{
      {"every day", "jeden Tag", habit},
      {"every morning", "jeden Morgen", habit},
      {"every evening", "jeden Abend", habit},
      {"in winter", "im Winter", habit},
      {"in summer", "im Sommer", habit},
      {"often", "oft", habit, true},
      {"always", "immer", habit, true},
      {"sometimes", "manchmal", habit, true},
      {"seldom", "selten", habit, true},
      {"today", "heute", later | before},
      {"yesterday", "gestern", before},
      {"last week", "letzte Woche", before},
      {"last night", "letzte Nacht", before},
      {"a year ago", "vor einem Jahr", before},
      {"two days ago", "vor zwei Tagen", before},
      {"on Monday", "am Montag", before | later},
      {"on Friday", "am Freitag", before | later},
      {"on the weekend", "am Wochenende", before | later},
      {"tomorrow", "morgen", later},
      {"next week", "nächste Woche", later},
      {"in the morning", "am Morgen", habit | later | before},
      {"in the evening", "am Abend", habit | later | before},
      {"after the concert", "nach dem Konzert", before | later},
      {"before the wedding", "vor der Hochzeit", before | later},
      {"because of the rain", "wegen des Regens", before | now},
      {"despite the storm", "trotz des Sturms", before | now},
      {"during the journey", "während der Reise", before | later},
  };
  return table;
}

std::span<const Adverbial> manners() {
  static const std::vector<Adverbial> table{
      {"quickly", "schnell", habit | now | before | later},
      {"slowly", "langsam", habit | now | before | later},
      {"carefully", "vorsichtig", habit | now | before | later},
      {"alone", "allein", habit | now | before | later},
  };
  return table;
}

const Modal& find_modal(std::string_view english) {
  for (const auto& modal : modals())
    if (modal.base == english) return modal;
  throw std::logic_error("demo: no modal verb '" + std::string(english) + "'");
}

const Adverbial& find_time(std::string_view english) {
  for (const auto& time : times())
    if (time.english == english) return time;
  throw std::logic_error("demo: no time '" + std::string(english) + "'");
}

}  // namespace demo
