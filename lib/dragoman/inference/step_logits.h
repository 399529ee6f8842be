#pragma once

#include "dragoman/inference/engine_workspace.h"
#include "dragoman/inference/short_generator.h"
#include "dragoman/search/logits.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// The logits of some rows of a step, of all tokens or of a shortlist's.
class StepLogits {
 public:
  /// \param workspace whose `logits` are used; must outlive this object
  /// \param short_generator of the sentences; null = the whole generator
  StepLogits(EngineWorkspace& workspace, const ShortGenerator* short_generator)
      : workspace_(workspace), short_generator_(short_generator) {}

  /// \param hidden [rows, d_model], the decoder's output
  /// \param sentences of each row, as `ShortGenerator::choose` numbers them
  /// \return valid until the next call
  LogitsOf<float> compute(const float* hidden, std::span<const std::size_t> sentences);

 private:
  void make_room(LogitsOf<float>& logits);
  void reduce_chunk(const LogitsOf<float>& logits, std::int64_t chunk);
  void take_own_tokens(std::span<const std::size_t> sentences, LogitsOf<float>& logits);

  EngineWorkspace& workspace_;
  const ShortGenerator* short_generator_;
  Buffer maxima_, sums_;
  Buffer own_logits_;                                      // of a shortlist, [rows, width]
  std::vector<std::span<const std::int32_t>> own_tokens_;  // of each of these rows
};

}  // namespace dragoman
