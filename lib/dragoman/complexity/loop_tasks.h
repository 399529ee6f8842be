#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dragoman {

/// A loop to be measured, with its inputs.
struct LoopTask {
  std::string kernel;                ///< its name and sizes
  double bytes;                      ///< of its inputs and outputs, each counted once
  std::function<void()> run;         ///< one call, on this thread
  std::function<void()> torch = {};  ///< LibTorch's operator for the same; empty = there is none
};

/// The loops over the logits, norms, activations, recurrences, dropout, and sums and packing of
/// rows.
std::vector<LoopTask> row_tasks();

/// Attention in translation and, forward and backward, in training.
std::vector<LoopTask> attention_tasks();

/// The losses with their gradients, and the norm of the gradient.
std::vector<LoopTask> training_tasks();

}  // namespace dragoman
