#include "lexicon.h"

#include <stdexcept>
#include <vector>

namespace demo {

namespace {

using namespace noun_class;

constexpr std::uint32_t people = person | animal;
constexpr std::uint32_t things =
    clothing | furniture | upright | flat | vehicle | opening | device | instrument | hangable;
constexpr std::uint32_t places = building | built | room | outdoors;
constexpr std::uint32_t coloured = clothing | vehicle | upright | opening;

}  // namespace

std::span<const Adjective> adjectives() {
  static const std::vector<Adjective> table{
      {"old", "older", "alt", "alt", "älter", animal | grown | things | building | text | built},
      {"new", "newer", "neu", "neu", "neuer", things | building | text | built},
      {"big", "bigger", "groß", "groß", "größer",
       animal | furniture | vehicle | upright | opening | places | fruit | plant},
      {"small", "smaller", "klein", "klein", "kleiner",
       animal | furniture | vehicle | upright | opening | places | fruit | plant | device},
      {"young", "younger", "jung", "jung", "jünger", people},
      {"beautiful", "more beautiful", "schön", "schön", "schöner",
       clothing | places | plant | upright | hangable | animal | text},
      {"expensive", "more expensive", "teuer", "teur", "teurer", things | drink | baked},
      {"cheap", "cheaper", "billig", "billig", "billiger", things | drink},
      {"heavy", "heavier", "schwer", "schwer", "schwerer", furniture | holder | opening | text},
      {"long", "longer", "lang", "lang", "länger", text | clothing | event},
      {"short", "shorter", "kurz", "kurz", "kürzer", text | event},
      {"red", "", "rot", "rot", "", coloured | plant | fruit},
      {"blue", "", "blau", "blau", "", coloured},
      {"green", "", "grün", "grün", "", coloured},
      {"yellow", "", "gelb", "gelb", "", coloured | plant | fruit},
      {"black", "", "schwarz", "schwarz", "", coloured | pet},
      {"white", "", "weiß", "weiß", "", coloured | pet | plant},
      {"brown", "", "braun", "braun", "", coloured | pet},
      {"clean", "cleaner", "sauber", "sauber", "sauberer",
       clothing | upright | vehicle | room | blade | opening},
      {"dirty", "dirtier", "schmutzig", "schmutzig", "schmutziger",
       clothing | upright | vehicle | room | blade | opening | animal},
      {"empty", "", "leer", "leer", "", holder | room | building | opening},
      {"hot", "hotter", "heiß", "heiß", "heißer", cooked | drink},
      {"cold", "colder", "kalt", "kalt", "kälter", cooked | drink | room},
      {"warm", "warmer", "warm", "warm", "wärmer", cooked | drink | room | clothing | baked},
      {"fresh", "fresher", "frisch", "frisch", "frischer", food | plant},
      {"sweet", "sweeter", "süß", "süß", "süßer", fruit | baked},
      {"friendly", "friendlier", "freundlich", "freundlich", "freundlicher", people},
      {"clever", "cleverer", "klug", "klug", "klüger", people},
      {"lazy", "lazier", "faul", "faul", "fauler", people},
      {"tired", "", "müde", "müd", "", people},
      {"hungry", "", "hungrig", "hungrig", "", people},
      {"happy", "happier", "glücklich", "glücklich", "glücklicher", people},
      {"sad", "sadder", "traurig", "traurig", "trauriger", people},
      {"famous", "more famous", "berühmt", "berühmt", "berühmter", grown | text | building},
      {"rich", "richer", "reich", "reich", "reicher", grown},
      {"poor", "poorer", "arm", "arm", "ärmer", person},
      {"strong", "stronger", "stark", "stark", "stärker", people},
      {"funny", "funnier", "lustig", "lustig", "lustiger", people | text},
      {"interesting", "more interesting", "interessant", "interessant", "interessanter",
       text | event | outdoors},
      {"boring", "more boring", "langweilig", "langweilig", "langweiliger", text | event},
      {"important", "more important", "wichtig", "wichtig", "wichtiger", text | event | flat},
      {"broken", "", "kaputt", "kaputt", "", device | vehicle | upright | opening | instrument},
      {"modern", "more modern", "modern", "modern", "moderner",
       building | furniture | device | vehicle},
      {"quiet", "quieter", "ruhig", "ruhig", "ruhiger", people | outdoors | room},
      {"loud", "louder", "laut", "laut", "lauter", instrument | device | animal},
      {"dark", "darker", "dunkel", "dunkl", "dunkler", room | outdoors | building},
      {"tall", "taller", "hoch", "hoh", "höher", high},
      {"dangerous", "more dangerous", "gefährlich", "gefährlich", "gefährlicher",
       animal | device | blade},
      {"strange", "stranger", "seltsam", "seltsam", "seltsamer", people | text | device | event},
      {"round", "", "rund", "rund", "", upright | surface | hangable},
      {"thick", "thicker", "dick", "dick", "dicker", text | clothing},
  };
  return table;
}

const Adjective& find_adjective(std::string_view english) {
  for (const auto& adjective : adjectives())
    if (adjective.english == english) return adjective;
  throw std::logic_error("demo: no adjective '" + std::string(english) + "'");
}

}  // namespace demo
