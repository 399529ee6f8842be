#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/config/vocabulary_sizes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Trainable parameters of one part of a model. Gamma and beta of a layer norm count as weights.
struct PartCount {
  std::int64_t weights = 0;
  std::int64_t biases = 0;  ///< of linear maps

  std::int64_t total() const { return weights + biases; }
  PartCount& operator+=(const PartCount& other);
  PartCount& operator-=(const PartCount& other);
};

PartCount operator+(PartCount a, const PartCount& b);
PartCount operator*(std::int64_t times, const PartCount& part);

/// A part with its name as it occurs in weight names.
struct NamedCount {
  std::string name;
  PartCount count;
};

/// Trainable parameters by part, computed from the sizes alone.
struct ParameterCount {
  PartCount attention, feed_forward, norm;                       ///< one of each, with all heads
  std::vector<NamedCount> encoder_sublayers, decoder_sublayers;  ///< of one layer, each with a norm
  PartCount encoder_layer, decoder_layer;                        ///< one layer, with all heads
  PartCount encoder, decoder;  ///< the stacks, final norms of pre-norm included
  PartCount
      embeddings;  ///< vocabulary matrices (a shared one counted once), learned positions, norms
                   ///< and start vector
  PartCount generator;  ///< whatever is not shared with an embedding
  PartCount total;
};

/// Of the sub-layer `average_attention` of one decoder layer, without its norm.
PartCount average_attention_count(const ModelOptions& options);

/// Of a model with these options, which is not built.
ParameterCount parameter_count(const ModelOptions& options, const VocabularySizes& vocabulary);

}  // namespace dragoman
