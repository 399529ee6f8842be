#include "dragoman/convert/lost_search.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"

namespace dragoman {

void warn_of_lost_search(const SearchOptions& search, const std::set<std::string>& kept,
                         const char* file) {
  // With one beam, these two say what every other program does anyway.
  const bool is_usual = search.ends_at_first_eos();
  const auto means_nothing = [&](const std::string& name) {
    return is_usual && (name == "strict_beam" || name == "early_stopping");
  };
  // How fast it is computed and how many translations are shown is no part of a model.
  const std::set<std::string> of_this_program = {"batch_tokens", "cache", "n_best", "precision"};
  const nlohmann::json chosen = search, defaults = SearchOptions();
  const nlohmann::json copied_source = UnknownRule::copy;  // which no other program does
  std::string lost;
  for (const auto& [name, value] : chosen.items())
    if (value != defaults.at(name) && !of_this_program.contains(name) && !means_nothing(name) &&
        (!kept.contains(name) || value == copied_source))
      lost += concat(lost.empty() ? "search." : ", search.", name, '=', value.dump());
  if (!lost.empty())
    log_warning(concat("convert: ", lost, ": ", file,
                       " cannot store this; set it again in the other program"));
}

void warn_of_beam_of_one(const SearchOptions& search, const char* program) {
  if (search.greedy || search.beam_size > 1 || search.ends_at_first_eos()) return;
  log_warning(
      concat("convert: search.beam_size=1: with one beam, ", program,
             " is greedy and ends at the first EOS, where this program's search may go on "
             "for a translation with a better score; search.greedy=true is the same in both"));
}

}  // namespace dragoman
