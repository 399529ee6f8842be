#include "lexicon.h"

#include <stdexcept>
#include <vector>

namespace demo {

namespace {

using namespace noun_class;

constexpr auto m = Gender::masculine;
constexpr auto f = Gender::feminine;
constexpr auto n = Gender::neuter;

const std::vector<Noun>& simple_nouns() {
  static const std::vector<Noun> table{
      {"man", "men", "Mann", m, "es", "Männer", person | grown},
      {"woman", "women", "Frau", f, "", "Frauen", person | grown},
      {"boy", "boys", "Junge", m, "weak", "Jungen", person},
      {"girl", "girls", "Mädchen", n, "s", "Mädchen", person},
      {"child", "children", "Kind", n, "es", "Kinder", person},
      {"father", "fathers", "Vater", m, "s", "Väter", person | kin | grown},
      {"mother", "mothers", "Mutter", f, "", "Mütter", person | kin | grown},
      {"brother", "brothers", "Bruder", m, "s", "Brüder", person | kin | grown},
      {"sister", "sisters", "Schwester", f, "", "Schwestern", person | kin | grown},
      {"king", "kings", "König", m, "s", "Könige", person | grown},
      {"queen", "queens", "Königin", f, "", "Königinnen", person | grown},
      {"princess", "princesses", "Prinzessin", f, "", "Prinzessinnen", person},
      {"waitress", "waitresses", "Kellnerin", f, "", "Kellnerinnen", person | grown},
      {"actress", "actresses", "Schauspielerin", f, "", "Schauspielerinnen", person | grown},

      {"Anna", "", "Anna", f, "", "", person | name},
      {"Clara", "", "Clara", f, "", "", person | name},
      {"Peter", "", "Peter", m, "", "", person | name},
      {"Paul", "", "Paul", m, "", "", person | name},

      {"dog", "dogs", "Hund", m, "es", "Hunde", animal | pet},
      {"cat", "cats", "Katze", f, "", "Katzen", animal | pet},
      {"horse", "horses", "Pferd", n, "es", "Pferde", animal | pet},
      {"bird", "birds", "Vogel", m, "s", "Vögel", animal | pet},
      {"bear", "bears", "Bär", m, "weak", "Bären", animal},
      {"mouse", "mice", "Maus", f, "", "Mäuse", animal},
      {"duck", "ducks", "Ente", f, "", "Enten", animal},

      {"apple", "apples", "Apfel", m, "s", "Äpfel", food | fruit},
      {"egg", "eggs", "Ei", n, "s", "Eier", food | cooked},
      {"bread", "", "Brot", n, "es", "", food | baked},
      {"soup", "", "Suppe", f, "", "", food | cooked},
      {"meat", "", "Fleisch", n, "es", "", food | cooked},
      {"milk", "", "Milch", f, "", "", drink},
      {"coffee", "", "Kaffee", m, "s", "", drink},
      {"tea", "", "Tee", m, "s", "", drink},
      {"water", "", "Wasser", n, "s", "", drink},

      {"shirt", "shirts", "Hemd", n, "es", "Hemden", clothing | gift},
      {"sweater", "sweaters", "Pullover", m, "s", "Pullover", clothing | gift},
      {"bed", "beds", "Bett", n, "es", "Betten", furniture | built},
      {"cupboard", "cupboards", "Schrank", m, "es", "Schränke", furniture | built | opening},
      {"picture", "pictures", "Bild", n, "es", "Bilder", hangable | gift},
      {"clock", "clocks", "Uhr", f, "", "Uhren", device | hangable | gift},

      {"book", "books", "Buch", n, "es", "Bücher", text | gift},
      {"letter", "letters", "Brief", m, "es", "Briefe", text | flat | gift},
      {"newspaper", "newspapers", "Zeitung", f, "", "Zeitungen", text | flat},
      {"poem", "poems", "Gedicht", n, "es", "Gedichte", text},
      {"knife", "knives", "Messer", n, "s", "Messer", flat | blade},
      {"key", "keys", "Schlüssel", m, "s", "Schlüssel", flat | gift},

      {"bottle", "bottles", "Flasche", f, "", "Flaschen", upright | opening | holder},
      {"glass", "glasses", "Glas", n, "es", "Gläser", upright | holder},
      {"cup", "cups", "Tasse", f, "", "Tassen", upright | holder},
      {"bucket", "buckets", "Eimer", m, "s", "Eimer", holder},

      {"car", "cars", "Auto", n, "s", "Autos", vehicle},
      {"ship", "ships", "Schiff", n, "es", "Schiffe", vehicle | built},
      {"train", "trains", "Zug", m, "es", "Züge", vehicle},

      {"house", "houses", "Haus", n, "es", "Häuser", building | built, "zu"},
      {"school", "schools", "Schule", f, "", "Schulen", building | built, "in"},
      {"castle", "castles", "Schloss", n, "es", "Schlösser", building | built | high, "zu"},
      {"tower", "towers", "Turm", m, "es", "Türme", built | high},
      {"bridge", "bridges", "Brücke", f, "", "Brücken", built | high},
      {"theater", "theaters", "Theater", n, "s", "Theater", building | built, "in"},
      {"bakery", "bakeries", "Bäckerei", f, "", "Bäckereien", building, "zu"},

      {"garden", "gardens", "Garten", m, "s", "Gärten", outdoors, "in"},
      {"forest", "forests", "Wald", m, "es", "Wälder", outdoors, "in"},
      {"city", "cities", "Stadt", f, "", "Städte", outdoors, "in"},
      {"kitchen", "kitchens", "Küche", f, "", "Küchen", room, "in"},

      {"window", "windows", "Fenster", n, "s", "Fenster", opening},
      {"gate", "gates", "Tor", n, "es", "Tore", opening},
      {"box", "boxes", "Kiste", f, "", "Kisten", opening | holder},
      {"radio", "radios", "Radio", n, "s", "Radios", device},
      {"camera", "cameras", "Kamera", f, "", "Kameras", device | gift},
      {"piano", "pianos", "Klavier", n, "s", "Klaviere", instrument},
      {"guitar", "guitars", "Gitarre", f, "", "Gitarren", instrument},

      {"flower", "flowers", "Blume", f, "", "Blumen", plant | gift},
      {"festival", "festivals", "Fest", n, "es", "Feste", event},
      {"concert", "concerts", "Konzert", n, "s", "Konzerte", event},
  };
  return table;
}

struct FirstPart {
  std::string english, german;
};

/// Every first part with every head: "plum" + "cake" = "Pflaumen" + "kuchen".
void add_compounds(std::vector<Noun>& all, const std::vector<FirstPart>& parts,
                   const std::vector<Noun>& heads) {
  for (const auto& part : parts)
    for (Noun noun : heads) {
      noun.english = part.english + " " + noun.english;
      if (!noun.english_plural.empty())
        noun.english_plural = part.english + " " + noun.english_plural;
      noun.german = part.german + noun.german;
      if (!noun.mass()) noun.german_plural = part.german + noun.german_plural;
      all.push_back(noun);
    }
}

std::vector<Noun> all_nouns() {
  auto all = simple_nouns();
  add_compounds(
      all, {{"apple", "Apfel"}, {"cherry", "Kirsch"}, {"plum", "Pflaumen"}, {"lemon", "Zitronen"}},
      {{"juice", "", "saft", m, "es", "", drink},
       {"cake", "cakes", "kuchen", m, "s", "kuchen", food | baked},
       {"tree", "trees", "baum", m, "es", "bäume", plant | high}});
  add_compounds(all, {{"summer", "Sommer"}, {"winter", "Winter"}},
                {{"coat", "coats", "mantel", m, "s", "mäntel", clothing},
                 {"dress", "dresses", "kleid", n, "es", "kleider", clothing | gift},
                 {"hat", "hats", "hut", m, "es", "hüte", clothing | gift},
                 {"shoe", "shoes", "schuh", m, "es", "schuhe", clothing}});
  add_compounds(all, {{"kitchen", "Küchen"}, {"garden", "Garten"}, {"wooden", "Holz"}},
                {{"table", "tables", "tisch", m, "es", "tische", furniture | surface | built},
                 {"chair", "chairs", "stuhl", m, "es", "stühle", furniture | built},
                 {"lamp", "lamps", "lampe", f, "", "lampen", device | hangable},
                 {"door", "doors", "tür", f, "", "türen", opening}});
  return all;
}

}  // namespace

std::span<const Noun> nouns() {
  static const std::vector<Noun> all = all_nouns();
  return all;
}

std::string german_noun(const Noun& noun, Number number, Case case_) {
  if (number == Number::plural) {
    const auto& plural = noun.german_plural;
    const bool has_ending = plural.ends_with('n') || plural.ends_with('s');
    return case_ == Case::dative && !has_ending ? plural + "n" : plural;
  }
  if ((noun.classes & noun_class::name) != 0)
    return case_ == Case::genitive ? noun.german + "s" : noun.german;
  if (noun.weak()) return case_ == Case::nominative ? noun.german : noun.german_plural;
  return case_ == Case::genitive ? noun.german + noun.genitive : noun.german;
}

std::string english_noun(const Noun& noun, Number number) {
  return number == Number::plural ? noun.english_plural : noun.english;
}

const Noun& find_noun(std::string_view english) {
  for (const auto& noun : nouns())
    if (noun.english == english) return noun;
  throw std::logic_error("demo: no noun '" + std::string(english) + "'");
}

}  // namespace demo
