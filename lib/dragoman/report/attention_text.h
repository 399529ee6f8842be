#pragma once

#include "dragoman/report/attention_map.h"

#include <span>
#include <string>

namespace dragoman {

/// The chosen weights as one block of shades each, for a terminal: a row for each query, a column
/// of two for each key, dashes where a weight is negative, after it the key with the largest
/// weight. Without a chosen layer the last one; without a chosen head the mean of the heads.
std::string attention_blocks(std::span<const AttentionPicture> pictures,
                             const AttentionChoice& choice);

/// The chosen weights, all without a choice, one a line: line of the sentence, kind, layer and head
/// (from 1), position and piece of query and key (from 0), weight. The first line names the
/// columns.
std::string attention_csv(std::span<const AttentionPicture> pictures,
                          const AttentionChoice& choice);

}  // namespace dragoman
