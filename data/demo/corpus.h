#pragma once

#include "phrase.h"

#include <vector>

namespace demo {

/// The three sets. No English and no German sentence stands in two pairs, and every pair of `test`
/// has a combination (adjective and noun, verb and object, ...) that `train` and `valid` lack.
struct Corpus {
  std::vector<Pair> train, valid, test;
};

/// Always the same corpus: the seed is a constant.
Corpus make_corpus();

/// Whether `combination` (see `Draft`) belongs to the test set alone: one of ten does.
bool held_out(std::string_view combination);

}  // namespace demo
