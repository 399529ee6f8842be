#pragma once

#include "dragoman/config/search_options.h"

#include <set>
#include <string>

namespace dragoman {

/// Warns of options of a run's search that are not the default and get lost, because the other
/// program's file has no place for them.
/// \param kept the names of those that it has: "beam_size"
/// \param file its name, for the message
void warn_of_lost_search(const SearchOptions& search, const std::set<std::string>& kept,
                         const char* file);

/// Warns if a beam search with a beam of one, which can go on after EOS was the most probable
/// piece, becomes a greedy one. \param program the other one
void warn_of_beam_of_one(const SearchOptions& search, const char* program);

}  // namespace dragoman
