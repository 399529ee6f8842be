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
      {"heavy", "heavier", "schwer", "schwer", "schwerer", furniture | holder | opening | text},
      {"long", "longer", "lang", "lang", "länger", text | clothing | event},
      {"red", "", "rot", "rot", "", coloured | plant | fruit},
      {"blue", "", "blau", "blau", "", coloured},
      {"green", "", "grün", "grün", "", coloured},
      {"black", "", "schwarz", "schwarz", "", coloured | pet},
      {"hot", "hotter", "heiß", "heiß", "heißer", cooked | drink},
      {"cold", "colder", "kalt", "kalt", "kälter", cooked | drink | room},
      {"fresh", "fresher", "frisch", "frisch", "frischer", food | plant},
      {"friendly", "friendlier", "freundlich", "freundlich", "freundlicher", people},
      {"clever", "cleverer", "klug", "klug", "klüger", people},
      {"tired", "", "müde", "müd", "", people},
      {"sad", "sadder", "traurig", "traurig", "trauriger", people},
      {"hungry", "", "hungrig", "hungrig", "", people},
      {"happy", "happier", "glücklich", "glücklich", "glücklicher", people},
      {"rich", "richer", "reich", "reich", "reicher", grown},
      {"strong", "stronger", "stark", "stark", "stärker", people},
      {"interesting", "more interesting", "interessant", "interessant", "interessanter",
       text | event | outdoors},
      {"broken", "", "kaputt", "kaputt", "", device | vehicle | upright | opening | instrument},
      {"tall", "taller", "hoch", "hoh", "höher", high},
  };
  return table;
}

const Adjective& find_adjective(std::string_view english) {
  for (const auto& adjective : adjectives())
    if (adjective.english == english) return adjective;
  throw std::logic_error("demo: no adjective '" + std::string(english) + "'");
}

}  // namespace demo
