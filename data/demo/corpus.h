#pragma once

#include "phrase.h"

#include <vector>

namespace demo {

/// The three sets. No English and no German sentence occurs in two pairs, and every pair of `test`
/// has a combination (adjective and noun, verb and object, ...) that does not occur in `train` and
/// `valid`.
struct Corpus {
  std::vector<Pair> train, valid, test;
};

/// Always the same corpus: the seed is a constant.
Corpus make_corpus();

/// Whether `combination` (see `Draft`) is reserved for the test set: one in ten is.
bool held_out(std::string_view combination);

}  // namespace demo
