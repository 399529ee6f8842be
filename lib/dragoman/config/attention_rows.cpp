#include "dragoman/config/option_rows.h"

namespace dragoman::options {

namespace {

constexpr double farthest = 1'048'576;  // positions

Rows window_rows(const std::string& key) {
  return {
      {key + ".radius", "keys", OptionRange{0, farthest},
       "Keys seen to each side; for local, dilated, global_local and longformer."},
      {key + ".dilation", "positions", OptionRange{1, farthest},
       "Distance from one key to the next; for dilated and longformer."},
      {key + ".stride", "positions", OptionRange{1, farthest},
       "Stride s; for strided, strided_relative, sparse_strided and sparse_fixed."},
      {key + ".summary", "keys", OptionRange{1, farthest},
       "The last c keys of a block, which all later queries see, at most the stride; for "
       "sparse_fixed."},
      {key + ".global_positions", "positions", OptionRange{-farthest, farthest},
       "Positions that see all others and are seen by them, -1 being the last; for global_local "
       "and longformer."},
      {key + ".global_tokens", "ids of pieces", OptionRange{0, farthest * 16},
       "Pieces whose positions are global too; for global_local and longformer in the encoder."},
  };
}

}  // namespace

Rows attention_rows(const std::string& key) {
  Rows rows = {{key + ".kind",
                "",
                {},
                "Which keys a query attends to, and how they are computed; full, tiled and "
                "fused_torch are the same function."}};
  for (auto& row : window_rows(key)) rows.push_back(std::move(row));
  const Rows others = {
      {key + ".block", "positions", OptionRange{1, 65536}, "Queries and keys per tile; for tiled."},
      {key + ".rank", "rows", OptionRange{1, 65536},
       "Rows that keys and values are projected to; for low_rank."},
      {key + ".max_length", "tokens", OptionRange{1, farthest},
       "Longest sequence that can be projected; for low_rank."},
      {key + ".limit_mb", "MiB", OptionRange{1, 1099511627776.0},
       "Memory that the weights of one call may take; for full and fused_torch."},
      {key + ".heads",
       "",
       {},
       "What differs from these options, one object for each head, such as {\"kind\": \"local\"}; "
       "none = all heads alike."},
      {key + ".pruned_heads", "heads", OptionRange{0, 1023},
       "Heads that were removed, counted from 0 and in ascending order."},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace dragoman::options
