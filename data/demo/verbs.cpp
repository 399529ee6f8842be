#include "lexicon.h"

#include <stdexcept>
#include <vector>

namespace demo {

namespace {

using namespace noun_class;
using namespace verb_trait;

constexpr std::uint32_t creature = person | animal;
constexpr std::uint32_t goods =
    clothing | furniture | upright | flat | vehicle | device | instrument | text | food | gift;
constexpr std::uint32_t movable = text | flat | upright | clothing | gift;
constexpr auto acc = Case::accusative;
constexpr auto dat = Case::dative;

const std::vector<Verb>& transitive() {
  static const std::vector<Verb> table{
      {"buy", "buys", "bought", "bought", "buying", "", "", "", "kaufen", "kaufe", "kauft",
       "gekauft", Frame::accusative, person, goods | drink},
      {"see", "sees", "saw", "seen", "seeing", "", "", "", "sehen", "sehe", "sieht", "gesehen",
       Frame::accusative, creature, creature | built | vehicle | gift | room | opening, state},
      {"find", "finds", "found", "found", "finding", "", "", "", "finden", "finde", "findet",
       "gefunden", Frame::accusative, creature, flat | clothing | gift | pet | fruit, state},
      {"look", "looks", "looked", "looked", "looking", "", "for", "", "suchen", "suche", "sucht",
       "gesucht", Frame::accusative, creature, flat | clothing | gift | creature, no_passive},
      {"have", "has", "had", "had", "having", "", "", "", "haben", "habe", "hat", "gehabt",
       Frame::accusative, person, goods | pet, state | lasting | no_passive, "", acc, "hatte"},
      {"love", "loves", "loved", "loved", "loving", "", "", "", "lieben", "liebe", "liebt",
       "geliebt", Frame::accusative, person, creature | outdoors | event, state | lasting},
      {"draw", "draws", "drew", "drawn", "drawing", "", "", "", "zeichnen", "zeichne", "zeichnet",
       "gezeichnet", Frame::accusative, person, animal | built | plant | vehicle},
      {"eat", "eats", "ate", "eaten", "eating", "", "", "", "essen", "esse", "isst", "gegessen",
       Frame::accusative, person, food},
      {"drink", "drinks", "drank", "drunk", "drinking", "", "", "", "trinken", "trinke", "trinkt",
       "getrunken", Frame::accusative, person, drink},
      {"bake", "bakes", "baked", "baked", "baking", "", "", "", "backen", "backe", "backt",
       "gebacken", Frame::accusative, person, baked},
      {"repair", "repairs", "repaired", "repaired", "repairing", "", "", "", "reparieren",
       "repariere", "repariert", "repariert", Frame::accusative, person,
       vehicle | device | built | instrument},
      {"clean", "cleans", "cleaned", "cleaned", "cleaning", "", "", "", "putzen", "putze", "putzt",
       "geputzt", Frame::accusative, person, room | opening | surface},
      {"read", "reads", "read", "read", "reading", "", "", "", "lesen", "lese", "liest", "gelesen",
       Frame::accusative, person, text},
      {"write", "writes", "wrote", "written", "writing", "", "", "", "schreiben", "schreibe",
       "schreibt", "geschrieben", Frame::accusative, person, text},
      {"lose", "loses", "lost", "lost", "losing", "", "", "", "verlieren", "verliere", "verliert",
       "verloren", Frame::accusative, person, flat | clothing | gift, state | no_modal},
      {"visit", "visits", "visited", "visited", "visiting", "", "", "", "besuchen", "besuche",
       "besucht", "besucht", Frame::accusative, person, person | outdoors},
      {"know", "knows", "knew", "known", "knowing", "", "", "", "kennen", "kenne", "kennt",
       "gekannt", Frame::accusative, person, person | outdoors | building | text,
       state | lasting | no_passive, "", acc, "kannte"},
      {"hear", "hears", "heard", "heard", "hearing", "", "", "", "hören", "höre", "hört", "gehört",
       Frame::accusative, creature, creature | instrument, state},
      {"build", "builds", "built", "built", "building", "", "", "", "bauen", "baue", "baut",
       "gebaut", Frame::accusative, person, built},
      {"water", "waters", "watered", "watered", "watering", "", "", "", "gießen", "gieße", "gießt",
       "gegossen", Frame::accusative, person, plant},
      {"use", "uses", "used", "used", "using", "", "", "", "benutzen", "benutze", "benutzt",
       "benutzt", Frame::accusative, person, device | upright | blade | vehicle},
  };
  return table;
}

const std::vector<Verb>& separable() {
  static const std::vector<Verb> table{
      {"describe", "describes", "described", "described", "describing", "", "", "", "beschreiben",
       "beschreibe", "beschreibt", "beschrieben", Frame::accusative, person,
       creature | outdoors | building | event | room | gift},
      {"open", "opens", "opened", "opened", "opening", "", "", "auf", "machen", "mache", "macht",
       "aufgemacht", Frame::accusative, person, opening},
      {"close", "closes", "closed", "closed", "closing", "", "", "zu", "machen", "mache", "macht",
       "zugemacht", Frame::accusative, person, opening},
      {"invite", "invites", "invited", "invited", "inviting", "", "", "ein", "laden", "lade",
       "lädt", "eingeladen", Frame::accusative, person, person},
      {"take", "takes", "took", "taken", "taking", "along", "", "mit", "nehmen", "nehme", "nimmt",
       "mitgenommen", Frame::accusative, person, movable},
      {"bring", "brings", "brought", "brought", "bringing", "back", "", "zurück", "bringen",
       "bringe", "bringt", "zurückgebracht", Frame::accusative, person, movable | vehicle},
      {"eat", "eats", "ate", "eaten", "eating", "up", "", "auf", "essen", "esse", "isst",
       "aufgegessen", Frame::accusative, person, food},
      {"turn", "turns", "turned", "turned", "turning", "on", "", "ein", "schalten", "schalte",
       "schaltet", "eingeschaltet", Frame::accusative, person, device},
      {"turn", "turns", "turned", "turned", "turning", "off", "", "aus", "schalten", "schalte",
       "schaltet", "ausgeschaltet", Frame::accusative, person, device},
      {"put", "puts", "put", "put", "putting", "on", "", "an", "ziehen", "ziehe", "zieht",
       "angezogen", Frame::accusative, person, clothing, no_passive},
      {"take", "takes", "took", "taken", "taking", "off", "", "aus", "ziehen", "ziehe", "zieht",
       "ausgezogen", Frame::accusative, person, clothing, no_passive},
      {"get", "gets", "got", "got", "getting", "up", "", "auf", "stehen", "stehe", "steht",
       "aufgestanden", Frame::none, person, 0, sein},
      {"come", "comes", "came", "come", "coming", "back", "", "zurück", "kommen", "komme", "kommt",
       "zurückgekommen", Frame::none, creature, 0, sein | state},
      {"read", "reads", "read", "read", "reading", "", "", "vor", "lesen", "lese", "liest",
       "vorgelesen", Frame::both, person, text},
  };
  return table;
}

const std::vector<Verb>& others() {
  static const std::vector<Verb> table{
      {"help", "helps", "helped", "helped", "helping", "", "", "", "helfen", "helfe", "hilft",
       "geholfen", Frame::dative, person, creature},
      {"thank", "thanks", "thanked", "thanked", "thanking", "", "", "", "danken", "danke", "dankt",
       "gedankt", Frame::dative, person, person},
      {"follow", "follows", "followed", "followed", "following", "", "", "", "folgen", "folge",
       "folgt", "gefolgt", Frame::dative, creature, creature, sein},
      {"give", "gives", "gave", "given", "giving", "", "", "", "geben", "gebe", "gibt", "gegeben",
       Frame::both, person, gift | food},
      {"show", "shows", "showed", "shown", "showing", "", "", "", "zeigen", "zeige", "zeigt",
       "gezeigt", Frame::both, person, gift | text | pet},
      {"wait", "waits", "waited", "waited", "waiting", "", "for", "", "warten", "warte", "wartet",
       "gewartet", Frame::preposition, creature, person | text, 0, "auf", acc},
      {"think", "thinks", "thought", "thought", "thinking", "", "of", "", "denken", "denke",
       "denkt", "gedacht", Frame::preposition, person, creature | event, 0, "an", acc},
      {"dream", "dreams", "dreamed", "dreamed", "dreaming", "", "of", "", "träumen", "träume",
       "träumt", "geträumt", Frame::preposition, person, creature | event | building, 0, "von",
       dat},
      {"play", "plays", "played", "played", "playing", "", "with", "", "spielen", "spiele",
       "spielt", "gespielt", Frame::preposition, creature, person | pet, 0, "mit", dat},
      {"look", "looks", "looked", "looked", "looking", "forward", "to", "", "freuen", "freue",
       "freut", "gefreut", Frame::preposition, person, event, reflexive, "auf", acc},
      {"sleep", "sleeps", "slept", "slept", "sleeping", "", "", "", "schlafen", "schlafe",
       "schläft", "geschlafen", Frame::none, creature, 0},
      {"work", "works", "worked", "worked", "working", "", "", "", "arbeiten", "arbeite",
       "arbeitet", "gearbeitet", Frame::none, person, 0},
      {"go", "goes", "went", "gone", "going", "", "", "", "gehen", "gehe", "geht", "gegangen",
       Frame::motion, person, building | outdoors | room, sein},
      {"run", "runs", "ran", "run", "running", "", "", "", "laufen", "laufe", "läuft", "gelaufen",
       Frame::motion, creature, building | outdoors | room, sein},
  };
  return table;
}

}  // namespace

std::span<const Verb> verbs() {
  static const std::vector<Verb> all = [] {
    auto joined = transitive();
    joined.insert(joined.end(), separable().begin(), separable().end());
    joined.insert(joined.end(), others().begin(), others().end());
    return joined;
  }();
  return all;
}

const Verb& find_verb(std::string_view english) {
  for (const auto& verb : verbs()) {
    const auto name = join(join(verb.base, verb.particle), verb.english_preposition);
    if (name == english && verb.prefix != "vor") return verb;
  }
  throw std::logic_error("demo: no verb '" + std::string(english) + "'");
}

}  // namespace demo
