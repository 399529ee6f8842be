#include "dragoman/config/search_options.h"

#include "dragoman/config/option_table.h"
#include "dragoman/config/require.h"
#include "dragoman/core/concat.h"

namespace dragoman {

namespace {

/// How many hypotheses a search of this kind can give.
void validate_n_best(const SearchOptions& search) {
  using options::require;
  if (search.sample) return;
  if (search.greedy)
    return require(search.n_best == 1, "search.n_best", search.n_best,
                   "is more than search.greedy gives, which finds one hypothesis",
                   "set it to 1, or search.greedy to false");
  require(search.n_best <= search.beam_size, "search.n_best", search.n_best,
          concat("is outside 1 to search.beam_size ", search.beam_size),
          "choose fewer, or a larger search.beam_size");
}

void validate_sampling(const SearchOptions& search) {
  if (search.sample && search.greedy)
    throw OptionsError("search.sample: contradicts search.greedy; choose one of them");
}

}  // namespace

void SearchOptions::validate() const {
  require_ranges(nlohmann::json(*this), "search");
  validate_n_best(*this);
  validate_sampling(*this);
  options::require(coverage_penalty == 0.0 || !(sample || greedy), "search.coverage_penalty",
                   coverage_penalty, "ranks the hypotheses of a beam, and there is none",
                   "set it to 0, or search.sample and search.greedy to false");
}

SearchOptions without_other_search(SearchOptions search, const nlohmann::json& settings) {
  const auto own = settings.value("search", nlohmann::json::object());
  const auto asks_for = [&own](const char* name) {
    return own.is_object() && own.contains(name) && own.at(name) == true;
  };
  const bool sample = asks_for("sample"), greedy = asks_for("greedy");
  if (sample == greedy) return search;
  search.sample = search.greedy = false;
  search.coverage_penalty = 0.0;
  if (greedy) search.n_best = 1;
  return search;
}

}  // namespace dragoman
