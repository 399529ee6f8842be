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
      {"sell", "sells", "sold", "sold", "selling", "", "", "", "verkaufen", "verkaufe", "verkauft",
       "verkauft", Frame::accusative, person, goods | building},
      {"see", "sees", "saw", "seen", "seeing", "", "", "", "sehen", "sehe", "sieht", "gesehen",
       Frame::accusative, creature, creature | built | vehicle | gift | room | opening, state},
      {"find", "finds", "found", "found", "finding", "", "", "", "finden", "finde", "findet",
       "gefunden", Frame::accusative, creature, flat | clothing | gift | pet | fruit, state},
      {"look", "looks", "looked", "looked", "looking", "", "for", "", "suchen", "suche", "sucht",
       "gesucht", Frame::accusative, creature, flat | clothing | gift | creature, no_passive},
      {"need", "needs", "needed", "needed", "needing", "", "", "", "brauchen", "brauche", "braucht",
       "gebraucht", Frame::accusative, person, goods, state | no_modal | no_passive},
      {"have", "has", "had", "had", "having", "", "", "", "haben", "habe", "hat", "gehabt",
       Frame::accusative, person, goods | pet, state | lasting | no_passive, "", acc, "hatte"},
      {"like", "likes", "liked", "liked", "liking", "", "", "", "mögen", "mag", "mag", "gemocht",
       Frame::accusative, person, creature | food | drink | gift, state | lasting | no_passive, "",
       acc, "mochte"},
      {"love", "loves", "loved", "loved", "loving", "", "", "", "lieben", "liebe", "liebt",
       "geliebt", Frame::accusative, person, creature | outdoors | event, state | lasting},
      {"draw", "draws", "drew", "drawn", "drawing", "", "", "", "zeichnen", "zeichne", "zeichnet",
       "gezeichnet", Frame::accusative, person, animal | built | plant | vehicle},
      {"eat", "eats", "ate", "eaten", "eating", "", "", "", "essen", "esse", "isst", "gegessen",
       Frame::accusative, person, food},
      {"drink", "drinks", "drank", "drunk", "drinking", "", "", "", "trinken", "trinke", "trinkt",
       "getrunken", Frame::accusative, person, drink},
      {"cook", "cooks", "cooked", "cooked", "cooking", "", "", "", "kochen", "koche", "kocht",
       "gekocht", Frame::accusative, person, cooked},
      {"bake", "bakes", "baked", "baked", "baking", "", "", "", "backen", "backe", "backt",
       "gebacken", Frame::accusative, person, baked},
      {"wash", "washes", "washed", "washed", "washing", "", "", "", "waschen", "wasche", "wäscht",
       "gewaschen", Frame::accusative, person, clothing | vehicle | pet},
      {"repair", "repairs", "repaired", "repaired", "repairing", "", "", "", "reparieren",
       "repariere", "repariert", "repariert", Frame::accusative, person,
       vehicle | device | built | instrument},
      {"clean", "cleans", "cleaned", "cleaned", "cleaning", "", "", "", "putzen", "putze", "putzt",
       "geputzt", Frame::accusative, person, room | opening | surface},
      {"read", "reads", "read", "read", "reading", "", "", "", "lesen", "lese", "liest", "gelesen",
       Frame::accusative, person, text},
      {"write", "writes", "wrote", "written", "writing", "", "", "", "schreiben", "schreibe",
       "schreibt", "geschrieben", Frame::accusative, person, text},
      {"forget", "forgets", "forgot", "forgotten", "forgetting", "", "", "", "vergessen",
       "vergesse", "vergisst", "vergessen", Frame::accusative, person, movable, state | no_modal},
      {"lose", "loses", "lost", "lost", "losing", "", "", "", "verlieren", "verliere", "verliert",
       "verloren", Frame::accusative, person, flat | clothing | gift, state | no_modal},
      {"carry", "carries", "carried", "carried", "carrying", "", "", "", "tragen", "trage", "trägt",
       "getragen", Frame::accusative, person, holder | surface},
      {"break", "breaks", "broke", "broken", "breaking", "", "", "", "zerbrechen", "zerbreche",
       "zerbricht", "zerbrochen", Frame::accusative, creature, upright, state},
      {"fill", "fills", "filled", "filled", "filling", "", "", "", "füllen", "fülle", "füllt",
       "gefüllt", Frame::accusative, person, holder},
      {"visit", "visits", "visited", "visited", "visiting", "", "", "", "besuchen", "besuche",
       "besucht", "besucht", Frame::accusative, person, person | outdoors},
      {"meet", "meets", "met", "met", "meeting", "", "", "", "treffen", "treffe", "trifft",
       "getroffen", Frame::accusative, person, person, no_passive},
      {"know", "knows", "knew", "known", "knowing", "", "", "", "kennen", "kenne", "kennt",
       "gekannt", Frame::accusative, person, person | outdoors | building | text,
       state | lasting | no_passive, "", acc, "kannte"},
      {"hear", "hears", "heard", "heard", "hearing", "", "", "", "hören", "höre", "hört", "gehört",
       Frame::accusative, creature, creature | instrument, state},
      {"feed", "feeds", "fed", "fed", "feeding", "", "", "", "füttern", "füttere", "füttert",
       "gefüttert", Frame::accusative, person, animal},
      {"catch", "catches", "caught", "caught", "catching", "", "", "", "fangen", "fange", "fängt",
       "gefangen", Frame::accusative, creature, animal},
      {"build", "builds", "built", "built", "building", "", "", "", "bauen", "baue", "baut",
       "gebaut", Frame::accusative, person, built},
      {"plant", "plants", "planted", "planted", "planting", "", "", "", "pflanzen", "pflanze",
       "pflanzt", "gepflanzt", Frame::accusative, person, plant},
      {"water", "waters", "watered", "watered", "watering", "", "", "", "gießen", "gieße", "gießt",
       "gegossen", Frame::accusative, person, plant},
      {"cut", "cuts", "cut", "cut", "cutting", "", "", "", "schneiden", "schneide", "schneidet",
       "geschnitten", Frame::accusative, person, fruit | baked},
      {"pull", "pulls", "pulled", "pulled", "pulling", "", "", "", "ziehen", "ziehe", "zieht",
       "gezogen", Frame::accusative, person, vehicle},
      {"use", "uses", "used", "used", "using", "", "", "", "benutzen", "benutze", "benutzt",
       "benutzt", Frame::accusative, person, device | upright | blade | vehicle},
      {"describe", "describes", "described", "described", "describing", "", "", "", "beschreiben",
       "beschreibe", "beschreibt", "beschrieben", Frame::accusative, person,
       creature | outdoors | building | event | room | gift},
  };
  return table;
}

const std::vector<Verb>& separable() {
  static const std::vector<Verb> table{
      {"open", "opens", "opened", "opened", "opening", "", "", "auf", "machen", "mache", "macht",
       "aufgemacht", Frame::accusative, person, opening},
      {"close", "closes", "closed", "closed", "closing", "", "", "zu", "machen", "mache", "macht",
       "zugemacht", Frame::accusative, person, opening},
      {"invite", "invites", "invited", "invited", "inviting", "", "", "ein", "laden", "lade",
       "lädt", "eingeladen", Frame::accusative, person, person},
      {"call", "calls", "called", "called", "calling", "", "", "an", "rufen", "rufe", "ruft",
       "angerufen", Frame::accusative, person, person},
      {"pick", "picks", "picked", "picked", "picking", "up", "", "ab", "holen", "hole", "holt",
       "abgeholt", Frame::accusative, person, person},
      {"take", "takes", "took", "taken", "taking", "along", "", "mit", "nehmen", "nehme", "nimmt",
       "mitgenommen", Frame::accusative, person, movable},
      {"throw", "throws", "threw", "thrown", "throwing", "away", "", "weg", "werfen", "werfe",
       "wirft", "weggeworfen", Frame::accusative, person, movable},
      {"bring", "brings", "brought", "brought", "bringing", "back", "", "zurück", "bringen",
       "bringe", "bringt", "zurückgebracht", Frame::accusative, person, movable | vehicle},
      {"tidy", "tidies", "tidied", "tidied", "tidying", "up", "", "auf", "räumen", "räume", "räumt",
       "aufgeräumt", Frame::accusative, person, room},
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
      {"hang", "hangs", "hung", "hung", "hanging", "up", "", "auf", "hängen", "hänge", "hängt",
       "aufgehängt", Frame::accusative, person, hangable | clothing},
      {"get", "gets", "got", "got", "getting", "up", "", "auf", "stehen", "stehe", "steht",
       "aufgestanden", Frame::none, person, 0, sein},
      {"fall", "falls", "fell", "fallen", "falling", "asleep", "", "ein", "schlafen", "schlafe",
       "schläft", "eingeschlafen", Frame::none, creature, 0, sein | state | no_modal},
      {"arrive", "arrives", "arrived", "arrived", "arriving", "", "", "an", "kommen", "komme",
       "kommt", "angekommen", Frame::none, person, 0, sein | state | no_modal},
      {"come", "comes", "came", "come", "coming", "back", "", "zurück", "kommen", "komme", "kommt",
       "zurückgekommen", Frame::none, creature, 0, sein | state},
      {"listen", "listens", "listened", "listened", "listening", "", "to", "zu", "hören", "höre",
       "hört", "zugehört", Frame::dative, person, person},
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
      {"trust", "trusts", "trusted", "trusted", "trusting", "", "", "", "vertrauen", "vertraue",
       "vertraut", "vertraut", Frame::dative, person, creature, state | no_modal},
      {"follow", "follows", "followed", "followed", "following", "", "", "", "folgen", "folge",
       "folgt", "gefolgt", Frame::dative, creature, creature, sein},
      {"answer", "answers", "answered", "answered", "answering", "", "", "", "antworten",
       "antworte", "antwortet", "geantwortet", Frame::dative, person, person},
      {"give", "gives", "gave", "given", "giving", "", "", "", "geben", "gebe", "gibt", "gegeben",
       Frame::both, person, gift | food},
      {"show", "shows", "showed", "shown", "showing", "", "", "", "zeigen", "zeige", "zeigt",
       "gezeigt", Frame::both, person, gift | text | pet},
      {"send", "sends", "sent", "sent", "sending", "", "", "", "schicken", "schicke", "schickt",
       "geschickt", Frame::both, person, gift},
      {"lend", "lends", "lent", "lent", "lending", "", "", "", "leihen", "leihe", "leiht",
       "geliehen", Frame::both, person, vehicle | text | device | instrument},
      {"wait", "waits", "waited", "waited", "waiting", "", "for", "", "warten", "warte", "wartet",
       "gewartet", Frame::preposition, creature, person | text, 0, "auf", acc},
      {"think", "thinks", "thought", "thought", "thinking", "", "of", "", "denken", "denke",
       "denkt", "gedacht", Frame::preposition, person, creature | event, 0, "an", acc},
      {"dream", "dreams", "dreamed", "dreamed", "dreaming", "", "of", "", "träumen", "träume",
       "träumt", "geträumt", Frame::preposition, person, creature | event | building, 0, "von",
       dat},
      {"laugh", "laughs", "laughed", "laughed", "laughing", "", "at", "", "lachen", "lache",
       "lacht", "gelacht", Frame::preposition, person, creature | text, 0, "über", acc},
      {"talk", "talks", "talked", "talked", "talking", "", "about", "", "sprechen", "spreche",
       "spricht", "gesprochen", Frame::preposition, person, creature | text | event | building, 0,
       "über", acc},
      {"play", "plays", "played", "played", "playing", "", "with", "", "spielen", "spiele",
       "spielt", "gespielt", Frame::preposition, creature, person | pet, 0, "mit", dat},
      {"look", "looks", "looked", "looked", "looking", "forward", "to", "", "freuen", "freue",
       "freut", "gefreut", Frame::preposition, person, event, reflexive, "auf", acc},
      {"remember", "remembers", "remembered", "remembered", "remembering", "", "", "", "erinnern",
       "erinnere", "erinnert", "erinnert", Frame::preposition, person,
       person | event | building | text, reflexive | state, "an", acc},
      {"sleep", "sleeps", "slept", "slept", "sleeping", "", "", "", "schlafen", "schlafe",
       "schläft", "geschlafen", Frame::none, creature, 0},
      {"work", "works", "worked", "worked", "working", "", "", "", "arbeiten", "arbeite",
       "arbeitet", "gearbeitet", Frame::none, person, 0},
      {"sing", "sings", "sang", "sung", "singing", "", "", "", "singen", "singe", "singt",
       "gesungen", Frame::none, person, 0},
      {"dance", "dances", "danced", "danced", "dancing", "", "", "", "tanzen", "tanze", "tanzt",
       "getanzt", Frame::none, person, 0},
      {"go", "goes", "went", "gone", "going", "", "", "", "gehen", "gehe", "geht", "gegangen",
       Frame::motion, person, building | outdoors | room, sein},
      {"run", "runs", "ran", "run", "running", "", "", "", "laufen", "laufe", "läuft", "gelaufen",
       Frame::motion, creature, building | outdoors | room, sein},
      {"drive", "drives", "drove", "driven", "driving", "", "", "", "fahren", "fahre", "fährt",
       "gefahren", Frame::motion, person, building | outdoors, sein},
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
