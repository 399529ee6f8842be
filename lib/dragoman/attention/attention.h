#pragma once

#include "dragoman/attention/attention_mask.h"
#include "dragoman/attention/key_value.h"
#include "dragoman/attention/key_value_cache.h"
#include "dragoman/attention/past.h"

#include <string>
#include <vector>

namespace dragoman {

/// Whether an attention also returns its weights.
enum class NeedWeights { no, yes };

/// How to compute an attention, apart from its inputs.
struct AttentionSettings {
  double scale = 1.0;     ///< scores are multiplied by it before the softmax
  double dropout = 0.0;   ///< rate on the weights
  bool training = false;  ///< dropout is applied in training only
  NeedWeights need_weights = NeedWeights::no;
};

/// The result of one attention.
struct AttentionResult {
  /// [batch, num_heads, query_len, d_v], in the queries' type or in float32.
  at::Tensor context;
  /// [batch, num_heads, query_len, key_len] before dropout, if requested. Not to be relied on for
  /// gradients: some implementations compute them outside of the graph.
  at::Tensor weights;
};

/// A learned parameter of an attention, to be registered by the module that owns it.
struct AttentionWeight {
  std::string name;
  at::Tensor value;
};

/// Computes a context from the queries, keys and values of all heads: the part of multi-head
/// attention (section 3.2.2) between the projections.
class Attention {
 public:
  virtual ~Attention() = default;

  /// Its own learned parameters; most kinds have none.
  virtual std::vector<AttentionWeight> weights() const { return {}; }

  /// A query that may see no key yields zeros and passes no gradient on.
  /// \param query [batch, num_heads, query_len, d_k]
  /// \param memory keys and values of [batch, num_heads, key_len, ...]
  /// \param mask which keys each query may attend to, in either form
  virtual AttentionResult attend(const at::Tensor& query, const KeyValue& memory,
                                 const AttentionMask& mask,
                                 const AttentionSettings& settings) const = 0;

  /// One step of decoding: appends each row's newest token and attends with it.
  /// \param query [rows, num_heads, 1, d_k]
  /// \param next the token's key and value, [rows, num_heads, 1, ...]
  /// \return context [rows, num_heads, 1, d_v]
  virtual at::Tensor step(const at::Tensor& query, const KeyValue& next, Past& past,
                          const AttentionSettings& settings) const {
    past.tokens.append(next);
    return attend_past(query, past.tokens, settings);
  }

  /// Each row's newest token attends to the tokens of its row that the kind allows: here to all.
  /// \param query [rows, num_heads, 1, d_k]
  /// \param past includes the newest token
  /// \return context [rows, num_heads, 1, d_v]
  virtual at::Tensor attend_past(const at::Tensor& query, const KeyValueCache& past,
                                 const AttentionSettings& settings) const {
    return attend(query, past.used(), {}, settings).context;
  }
};

}  // namespace dragoman
