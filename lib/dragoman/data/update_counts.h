#pragma once

#include <cstdint>

namespace dragoman {

/// Position of a training in the data: after `updates` updates of epoch `epoch` (both from 0).
struct StreamPosition {
  std::int64_t epoch = 0;
  std::int64_t updates = 0;

  /// Between two epochs.
  bool is_at_epoch_end() const { return updates == 0 && epoch > 0; }
};

/// What an update consists of, besides its target tokens, which the loss counts.
struct UpdateCounts {
  std::int64_t sentences = 0;
  std::int64_t source_tokens = 0;  ///< without padding, EOS included
  std::int64_t padding = 0;        ///< padding positions of both sides
  double flops = 0.0;              ///< forward and backward; 0 = not counted

  UpdateCounts& operator+=(const UpdateCounts& other) {
    sentences += other.sentences;
    source_tokens += other.source_tokens;
    padding += other.padding;
    flops += other.flops;
    return *this;
  }
};

}  // namespace dragoman
