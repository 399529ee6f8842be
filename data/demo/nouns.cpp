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
      {"son", "sons", "Sohn", m, "es", "Söhne", person | kin},
      {"daughter", "daughters", "Tochter", f, "", "Töchter", person | kin},
      {"uncle", "uncles", "Onkel", m, "s", "Onkel", person | kin | grown},
      {"aunt", "aunts", "Tante", f, "", "Tanten", person | kin | grown},
      {"grandfather", "grandfathers", "Großvater", m, "s", "Großväter", person | kin | grown},
      {"grandmother", "grandmothers", "Großmutter", f, "", "Großmütter", person | kin | grown},
      {"king", "kings", "König", m, "s", "Könige", person | grown},
      {"queen", "queens", "Königin", f, "", "Königinnen", person | grown},
      {"prince", "princes", "Prinz", m, "weak", "Prinzen", person},
      {"princess", "princesses", "Prinzessin", f, "", "Prinzessinnen", person},
      {"waiter", "waiters", "Kellner", m, "s", "Kellner", person | grown},
      {"waitress", "waitresses", "Kellnerin", f, "", "Kellnerinnen", person | grown},
      {"policeman", "policemen", "Polizist", m, "weak", "Polizisten", person | grown},
      {"policewoman", "policewomen", "Polizistin", f, "", "Polizistinnen", person | grown},
      {"fisherman", "fishermen", "Fischer", m, "s", "Fischer", person | grown},
      {"actor", "actors", "Schauspieler", m, "s", "Schauspieler", person | grown},
      {"actress", "actresses", "Schauspielerin", f, "", "Schauspielerinnen", person | grown},
      {"knight", "knights", "Ritter", m, "s", "Ritter", person | grown},

      {"Anna", "", "Anna", f, "", "", person | name},
      {"Maria", "", "Maria", f, "", "", person | name},
      {"Clara", "", "Clara", f, "", "", person | name},
      {"Peter", "", "Peter", m, "", "", person | name},
      {"Paul", "", "Paul", m, "", "", person | name},
      {"Emil", "", "Emil", m, "", "", person | name},

      {"dog", "dogs", "Hund", m, "es", "Hunde", animal | pet},
      {"cat", "cats", "Katze", f, "", "Katzen", animal | pet},
      {"horse", "horses", "Pferd", n, "es", "Pferde", animal | pet},
      {"cow", "cows", "Kuh", f, "", "Kühe", animal},
      {"bird", "birds", "Vogel", m, "s", "Vögel", animal | pet},
      {"bear", "bears", "Bär", m, "weak", "Bären", animal},
      {"mouse", "mice", "Maus", f, "", "Mäuse", animal},
      {"duck", "ducks", "Ente", f, "", "Enten", animal},
      {"pig", "pigs", "Schwein", n, "s", "Schweine", animal},
      {"rabbit", "rabbits", "Kaninchen", n, "s", "Kaninchen", animal | pet},
      {"monkey", "monkeys", "Affe", m, "weak", "Affen", animal},
      {"fox", "foxes", "Fuchs", m, "es", "Füchse", animal},
      {"goat", "goats", "Ziege", f, "", "Ziegen", animal | pet},

      {"apple", "apples", "Apfel", m, "s", "Äpfel", food | fruit},
      {"pear", "pears", "Birne", f, "", "Birnen", food | fruit},
      {"banana", "bananas", "Banane", f, "", "Bananen", food | fruit},
      {"egg", "eggs", "Ei", n, "s", "Eier", food | cooked},
      {"potato", "potatoes", "Kartoffel", f, "", "Kartoffeln", food | cooked},
      {"tomato", "tomatoes", "Tomate", f, "", "Tomaten", food | fruit},
      {"cookie", "cookies", "Keks", m, "es", "Kekse", food | baked},
      {"bread", "", "Brot", n, "es", "", food | baked},
      {"cheese", "", "Käse", m, "s", "", food},
      {"rice", "", "Reis", m, "es", "", food | cooked},
      {"soup", "", "Suppe", f, "", "", food | cooked},
      {"meat", "", "Fleisch", n, "es", "", food | cooked},
      {"butter", "", "Butter", f, "", "", food},
      {"milk", "", "Milch", f, "", "", drink},
      {"coffee", "", "Kaffee", m, "s", "", drink},
      {"tea", "", "Tee", m, "s", "", drink},
      {"water", "", "Wasser", n, "s", "", drink},
      {"wine", "", "Wein", m, "es", "", drink},
      {"beer", "", "Bier", n, "es", "", drink},

      {"shirt", "shirts", "Hemd", n, "es", "Hemden", clothing | gift},
      {"skirt", "skirts", "Rock", m, "es", "Röcke", clothing},
      {"sweater", "sweaters", "Pullover", m, "s", "Pullover", clothing | gift},
      {"scarf", "scarves", "Schal", m, "s", "Schals", clothing | gift},
      {"bed", "beds", "Bett", n, "es", "Betten", furniture | built},
      {"cupboard", "cupboards", "Schrank", m, "es", "Schränke", furniture | built | opening},
      {"shelf", "shelves", "Regal", n, "s", "Regale", furniture | built | surface},
      {"sofa", "sofas", "Sofa", n, "s", "Sofas", furniture},
      {"desk", "desks", "Schreibtisch", m, "es", "Schreibtische", furniture | surface | built},
      {"mirror", "mirrors", "Spiegel", m, "s", "Spiegel", furniture | hangable},
      {"picture", "pictures", "Bild", n, "es", "Bilder", hangable | gift},
      {"clock", "clocks", "Uhr", f, "", "Uhren", device | hangable | gift},

      {"book", "books", "Buch", n, "es", "Bücher", text | gift},
      {"letter", "letters", "Brief", m, "es", "Briefe", text | flat | gift},
      {"newspaper", "newspapers", "Zeitung", f, "", "Zeitungen", text | flat},
      {"poem", "poems", "Gedicht", n, "es", "Gedichte", text},
      {"novel", "novels", "Roman", m, "s", "Romane", text},
      {"report", "reports", "Bericht", m, "es", "Berichte", text},
      {"ticket", "tickets", "Fahrkarte", f, "", "Fahrkarten", flat},
      {"knife", "knives", "Messer", n, "s", "Messer", flat | blade},
      {"fork", "forks", "Gabel", f, "", "Gabeln", flat},
      {"spoon", "spoons", "Löffel", m, "s", "Löffel", flat},
      {"key", "keys", "Schlüssel", m, "s", "Schlüssel", flat | gift},
      {"coin", "coins", "Münze", f, "", "Münzen", flat | gift},
      {"pencil", "pencils", "Bleistift", m, "es", "Bleistifte", flat},
      {"ring", "rings", "Ring", m, "es", "Ringe", flat | gift},

      {"vase", "vases", "Vase", f, "", "Vasen", upright | gift},
      {"bottle", "bottles", "Flasche", f, "", "Flaschen", upright | opening | holder},
      {"glass", "glasses", "Glas", n, "es", "Gläser", upright | holder},
      {"cup", "cups", "Tasse", f, "", "Tassen", upright | holder},
      {"plate", "plates", "Teller", m, "s", "Teller", upright},
      {"bowl", "bowls", "Schüssel", f, "", "Schüsseln", upright | holder},
      {"pot", "pots", "Topf", m, "es", "Töpfe", upright | holder},
      {"bucket", "buckets", "Eimer", m, "s", "Eimer", holder},

      {"car", "cars", "Auto", n, "s", "Autos", vehicle},
      {"bicycle", "bicycles", "Fahrrad", n, "es", "Fahrräder", vehicle},
      {"ship", "ships", "Schiff", n, "es", "Schiffe", vehicle | built},
      {"bus", "buses", "Bus", m, "ses", "Busse", vehicle},
      {"train", "trains", "Zug", m, "es", "Züge", vehicle},
      {"boat", "boats", "Boot", n, "es", "Boote", vehicle | built},

      {"house", "houses", "Haus", n, "es", "Häuser", building | built, "zu"},
      {"church", "churches", "Kirche", f, "", "Kirchen", building | built | high, "in"},
      {"school", "schools", "Schule", f, "", "Schulen", building | built, "in"},
      {"castle", "castles", "Schloss", n, "es", "Schlösser", building | built | high, "zu"},
      {"tower", "towers", "Turm", m, "es", "Türme", built | high},
      {"bridge", "bridges", "Brücke", f, "", "Brücken", built | high},
      {"wall", "walls", "Mauer", f, "", "Mauern", built | high},
      {"hotel", "hotels", "Hotel", n, "s", "Hotels", building | built | high, "zu"},
      {"library", "libraries", "Bibliothek", f, "", "Bibliotheken", building, "in"},
      {"museum", "museums", "Museum", n, "s", "Museen", building, "in"},
      {"theater", "theaters", "Theater", n, "s", "Theater", building | built, "in"},
      {"factory", "factories", "Fabrik", f, "", "Fabriken", building | built, "in"},
      {"bakery", "bakeries", "Bäckerei", f, "", "Bäckereien", building, "zu"},

      {"garden", "gardens", "Garten", m, "s", "Gärten", outdoors, "in"},
      {"park", "parks", "Park", m, "s", "Parks", outdoors, "in"},
      {"forest", "forests", "Wald", m, "es", "Wälder", outdoors, "in"},
      {"village", "villages", "Dorf", n, "es", "Dörfer", outdoors, "in"},
      {"city", "cities", "Stadt", f, "", "Städte", outdoors, "in"},
      {"kitchen", "kitchens", "Küche", f, "", "Küchen", room, "in"},
      {"cellar", "cellars", "Keller", m, "s", "Keller", room, "in"},
      {"office", "offices", "Büro", n, "s", "Büros", room, "in"},
      {"bedroom", "bedrooms", "Schlafzimmer", n, "s", "Schlafzimmer", room, "in"},
      {"living room", "living rooms", "Wohnzimmer", n, "s", "Wohnzimmer", room, "in"},

      {"window", "windows", "Fenster", n, "s", "Fenster", opening},
      {"gate", "gates", "Tor", n, "es", "Tore", opening},
      {"box", "boxes", "Kiste", f, "", "Kisten", opening | holder},
      {"suitcase", "suitcases", "Koffer", m, "s", "Koffer", opening},
      {"radio", "radios", "Radio", n, "s", "Radios", device},
      {"computer", "computers", "Computer", m, "s", "Computer", device},
      {"machine", "machines", "Maschine", f, "", "Maschinen", device},
      {"camera", "cameras", "Kamera", f, "", "Kameras", device | gift},
      {"piano", "pianos", "Klavier", n, "s", "Klaviere", instrument},
      {"guitar", "guitars", "Gitarre", f, "", "Gitarren", instrument},
      {"violin", "violins", "Geige", f, "", "Geigen", instrument},
      {"trumpet", "trumpets", "Trompete", f, "", "Trompeten", instrument},

      {"flower", "flowers", "Blume", f, "", "Blumen", plant | gift},
      {"rose", "roses", "Rose", f, "", "Rosen", plant | gift},
      {"festival", "festivals", "Fest", n, "es", "Feste", event},
      {"wedding", "weddings", "Hochzeit", f, "", "Hochzeiten", event},
      {"concert", "concerts", "Konzert", n, "s", "Konzerte", event},
      {"journey", "journeys", "Reise", f, "", "Reisen", event},
      {"exam", "exams", "Prüfung", f, "", "Prüfungen", event},
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
      noun.first_part = part.english;
      all.push_back(noun);
    }
}

std::vector<Noun> all_nouns() {
  auto all = simple_nouns();
  add_compounds(all,
                {{"apple", "Apfel"},
                 {"cherry", "Kirsch"},
                 {"plum", "Pflaumen"},
                 {"lemon", "Zitronen"},
                 {"orange", "Orangen"},
                 {"peach", "Pfirsich"}},
                {{"juice", "", "saft", m, "es", "", drink},
                 {"cake", "cakes", "kuchen", m, "s", "kuchen", food | baked},
                 {"tree", "trees", "baum", m, "es", "bäume", plant | high}});
  add_compounds(all, {{"summer", "Sommer"}, {"winter", "Winter"}},
                {{"coat", "coats", "mantel", m, "s", "mäntel", clothing},
                 {"dress", "dresses", "kleid", n, "es", "kleider", clothing | gift},
                 {"hat", "hats", "hut", m, "es", "hüte", clothing | gift},
                 {"jacket", "jackets", "jacke", f, "", "jacken", clothing | gift},
                 {"shoe", "shoes", "schuh", m, "es", "schuhe", clothing}});
  add_compounds(
      all, {{"kitchen", "Küchen"}, {"garden", "Garten"}, {"office", "Büro"}, {"wooden", "Holz"}},
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
