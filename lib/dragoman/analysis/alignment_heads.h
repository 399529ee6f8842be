#pragma once

#include "dragoman/translate/run.h"
#include "dragoman/translate/translation.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

using Links = std::vector<AlignmentLink>;

/// One way to read word alignments off a model: the encoder-decoder attention of one head, looked
/// at when a target piece is written, or in the next step, when it is read.
struct AlignmentHead {
  std::int64_t layer = 0;  ///< from 0
  std::int64_t head = 0;   ///< from 0
  bool when_read = false;
};

/// What one such way gives.
struct HeadAlignment {
  AlignmentHead place;
  std::vector<Links> links;  ///< by pair: for each target piece the source piece with most weight
  double score = 0.0;        ///< the larger the better; what it is, its maker says
};

/// The alignments of every head of every layer; EOS has none on either side.
std::vector<HeadAlignment> alignments_of_heads(const LoadedRun& run,
                                               std::span<const LinePair> pairs);

/// Piece links as links between the words of a text that blanks separate, each once, by target
/// word.
/// \param source_pieces, target_pieces those of the pair
Links word_links(const Links& links, std::span<const std::string> source_pieces,
                 std::span<const std::string> target_pieces);

/// 1 - alignment error rate against links that all are sure: 2 |A and G| / (|A| + |G|).
double agreement(std::span<const Links> links, std::span<const Links> gold);

/// How well links tell the target piece from the source piece, without any gold: mean
/// log P(target piece | source piece) in nats of the links of odd pairs, with counts of the even
/// pairs' links smoothed by one.
/// \param source_pieces, target_pieces by pair
double translation_score(std::span<const Links> links,
                         std::span<const std::vector<std::string>> source_pieces,
                         std::span<const std::vector<std::string>> target_pieces);

/// "0-0 1-2", as Pharaoh has it.
std::string pharaoh_text(const Links& links);

/// \throws FormatError naming `place` and the word that is not I-J.
Links read_pharaoh(const std::string& line, const std::string& place);

}  // namespace dragoman
