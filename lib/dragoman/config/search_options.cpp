#include "dragoman/config/search_options.h"

#include "dragoman/config/require.h"

namespace dragoman {

namespace {

/// How many hypotheses a search of this kind can give.
void validate_n_best(const SearchOptions& search) {
  using options::require, options::require_between;
  if (search.sample)
    return require_between<std::int64_t>("search.n_best", search.n_best, 1, 1024);
  if (search.greedy)
    return require(search.n_best == 1, "search.n_best", search.n_best,
                   "asks for what search.greedy cannot give, which finds one hypothesis",
                   "set it to 1, or search.greedy to false");
  require(search.n_best >= 1 && search.n_best <= search.beam_size, "search.n_best", search.n_best,
          concat("is outside 1 to search.beam_size ", search.beam_size),
          "choose fewer, or a larger search.beam_size");
}

void validate_sampling(const SearchOptions& search) {
  using options::require, options::require_between;
  if (search.sample && search.greedy)
    throw OptionsError("search.sample: contradicts search.greedy; choose one of both");
  require_between("search.temperature", search.temperature, 0.001, 1000.0);
  require_between<std::int64_t>("search.top_k", search.top_k, 0, 1 << 24);
  require(search.top_p > 0.0 && search.top_p <= 1.0, "search.top_p", search.top_p,
          "is outside (0, 1]", "choose a share inside; 1 = all tokens");
}

}  // namespace

void SearchOptions::validate() const {
  using options::require_between;
  require_between<std::int64_t>("search.beam_size", beam_size, 1, 1024);
  require_between("search.length_penalty", length_penalty, -10.0, 10.0);
  validate_n_best(*this);
  require_between<std::int64_t>("search.max_length", max_length, 0, 65536);
  require_between<std::int64_t>("search.max_length_offset", max_length_offset, 1, 65536);
  require_between<std::int64_t>("search.no_repeat_ngram", no_repeat_ngram, 0, 1024);
  require_between<std::int64_t>("search.batch_tokens", batch_tokens, 1, 1 << 24);
  validate_sampling(*this);
  require_between("search.coverage_penalty", coverage_penalty, 0.0, 1000.0);
  options::require(coverage_penalty == 0.0 || !(sample || greedy), "search.coverage_penalty",
                   coverage_penalty, "ranks the hypotheses of a beam, and there is none",
                   "set it to 0, or search.sample and search.greedy to false");
}

}  // namespace dragoman
