#pragma once

#include "dragoman/config/model_options.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace dragoman {

/// Floating-point operations of the matrix products (a multiply-add counts as two) in the forward
/// pass of one sentence pair, including the logits of every target position. The backward pass
/// costs twice as much.
///
/// All that does not depend on the lengths is computed once: heads with equal options, in whichever
/// layers, are counted together. A call takes some nanoseconds and allocates nothing.
class ForwardFlops {
 public:
  /// \param vocab_size of the target
  ForwardFlops(const ModelOptions& options, std::int64_t vocab_size);

  /// \param source_len tokens, EOS included
  /// \param target_len tokens, EOS included
  double operator()(std::int64_t source_len, std::int64_t target_len) const;

 private:
  /// The multiply-adds of one attention in every layer of a stack.
  class Stack {
   public:
    /// No layers: costs nothing.
    Stack() = default;
    Stack(const ModelOptions& options, const StackAttention& attention, StackSide side,
          std::int64_t layers);

    double operator()(double query_len, double key_len) const;

   private:
    /// Heads that attend alike.
    struct Alike {
      double heads = 0.0;
      std::function<double(double len)> keys;  ///< of a query
    };

    double projected_ = 0.0;  ///< multiply-adds of the projections to and from heads, per position
    double width_ = 0.0;      ///< features of a key and a value together
    std::vector<Alike> alike_;
  };

  double source_token_, target_token_;  ///< multiply-adds per token outside of attention
  Stack encoder_, decoder_, cross_;
};

/// The same for one pair. Counting many pairs this way is slow.
double forward_flops(const ModelOptions& options, std::int64_t vocab_size, std::int64_t source_len,
                     std::int64_t target_len);

}  // namespace dragoman
