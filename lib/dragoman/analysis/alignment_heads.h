#pragma once

#include "dragoman/run/loaded_run.h"
#include "dragoman/translate/translation.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

using Links = std::vector<AlignmentLink>;

/// For each target piece of a pair, the source piece that it is aligned with; both are counted as
/// in `text_pieces`.
using AlignedSources = std::vector<std::int32_t>;

/// One way to extract word alignments from a model: the encoder-decoder attention of one head,
/// taken at the step that produces a target piece, or at the next step, which reads it.
struct AlignmentHead {
  std::int64_t layer = 0;  ///< from 0
  std::int64_t head = 0;   ///< from 0
  bool when_read = false;
};

/// The alignments of one head.
struct HeadAlignment {
  AlignmentHead place;
  /// Per pair: the source pieces with the largest weights; none if the source has no text.
  std::vector<AlignedSources> sources;
  double score = 0.0;  ///< higher is better; defined by the function that computes it
};

/// The alignments of every head of every layer; EOS and languages are aligned on neither side.
std::vector<HeadAlignment> alignments_of_heads(const LoadedRun& run,
                                               std::span<const LinePair> pairs);

/// The links of one pair between its pieces.
Links piece_links(std::span<const std::int32_t> sources);

/// Converts links between pieces to links between space-separated words, without duplicates,
/// ordered by target word.
/// \param source_pieces, target_pieces pieces of the pair
Links word_links(const Links& links, std::span<const std::string> source_pieces,
                 std::span<const std::string> target_pieces);

/// 1 - alignment error rate, with all gold links sure: 2 |A and G| / (|A| + |G|).
double agreement(std::span<const Links> links, std::span<const Links> gold);

/// How well links predict the target piece from the source piece, without gold links: mean log
/// P(target piece | source piece) in nats over the links of odd pairs, estimated from the link
/// counts of even pairs with add-one smoothing.
/// \param sources, source_pieces, target_pieces per pair
double translation_score(std::span<const AlignedSources> sources,
                         std::span<const std::vector<std::string>> source_pieces,
                         std::span<const std::vector<std::string>> target_pieces);

/// "0-0 1-2", in Pharaoh format.
std::string pharaoh_text(const Links& links);

/// The numbers of "I-J", none of them negative; nothing if the text is of another form.
std::optional<AlignmentLink> link_of(std::string_view text);

/// \throws FormatError naming `place` and the word that is not of the form I-J.
Links read_pharaoh(const std::string& line, const std::string& place);

}  // namespace dragoman
