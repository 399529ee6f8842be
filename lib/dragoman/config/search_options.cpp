#include "dragoman/config/search_options.h"

#include "dragoman/config/require.h"

namespace dragoman {

void SearchOptions::validate() const {
  using options::require_between;
  require_between<std::int64_t>("search.beam_size", beam_size, 1, 1024);
  require_between("search.length_penalty", length_penalty, -10.0, 10.0);
  options::require(n_best >= 1 && n_best <= beam_size, "search.n_best", n_best,
                   concat("is outside 1 to search.beam_size ", beam_size),
                   "choose fewer, or a larger search.beam_size");
  require_between<std::int64_t>("search.max_length", max_length, 0, 65536);
  require_between<std::int64_t>("search.max_length_offset", max_length_offset, 1, 65536);
  require_between<std::int64_t>("search.no_repeat_ngram", no_repeat_ngram, 0, 1024);
  require_between<std::int64_t>("search.batch_tokens", batch_tokens, 1, 1 << 24);
}

}  // namespace dragoman
