#pragma once

#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/shortlist/piece_set.h"
#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace dragoman {

/// A source piece and a target piece that may translate it.
struct LexicalEntry {
  std::int32_t source = 0;
  std::int32_t target = 0;
  float probability = 0.0F;  ///< P(target | source)
};

/// What a shortlist belongs to.
struct ShortlistVocabulary {
  VocabularySizes sizes = {};
  SpecialIds source = {}, target = {};
  bool joint = false;  ///< both sides have the same pieces
};

/// A vocabulary shortlist: which target pieces a translation may consist of, by the pieces of its
/// source. A decoder that knows them computes few of its logits.
///
/// The list of the source's EOS contains what is always allowed, as are the `first` ids.
struct Shortlist {
  using Ids = std::vector<std::int32_t>;

  ShortlistVocabulary vocabulary = {};
  std::int64_t first = 0;  ///< target ids below this are always allowed
  std::int64_t best = 0;   ///< pieces at most in a list when it was made; 0 = not known
  std::vector<std::uint64_t> offsets = {};    ///< [source pieces + 1]: where each list begins
  Ids targets = {};                           ///< of all lists; each ascends
  std::vector<float> probabilities = {};      ///< of `targets`; empty = not known
  std::map<Ids, Ids> phrases = {};            ///< the lists of several source pieces in a row
  std::set<std::size_t> phrase_lengths = {};  ///< those that occur, in source pieces

  /// The list of a source piece.
  std::span<const std::int32_t> of(std::int64_t source) const;

  /// Adds to `allowed` what the translation of a sentence may consist of: the lists of its pieces,
  /// with a joint vocabulary these themselves, what is always allowed, EOS and the unknown piece.
  /// With first ids, those after them are added until their number is a multiple of 8, as Marian
  /// does.
  /// \param source with EOS at its end or, as some other systems' models want it, without
  /// \param allowed of the target vocabulary
  void allow(std::span<const std::int32_t> source, PieceSet& allowed) const;

  void add_phrase(Ids source, Ids list);
};

/// The shortlist with these entries. Of several entries with the same pieces the most probable
/// counts. \param entries in any order; their ids are within the vocabulary
Shortlist make_shortlist(const ShortlistVocabulary& vocabulary, std::vector<LexicalEntry> entries);

/// What a shortlist is cut down to.
struct ShortlistLimits {
  std::int64_t best = 0;   ///< the most probable pieces kept of each list; 0 = all
  double threshold = 0.0;  ///< least probability of a piece
};

/// Keeps only the best of each list but those of EOS, which are always allowed, and of phrases.
/// Of equally probable pieces the larger ids are kept, as Marian does.
/// \throws DataError if the probabilities are not known and `limits` ask for any
Shortlist cut_down(const Shortlist& shortlist, const ShortlistLimits& limits);

}  // namespace dragoman
