#pragma once

#include "dragoman/analysis/step.h"

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A calculation from a public tutorial on the Transformer, repeated by this program from the
/// tutorial's own inputs.
struct WorkedExample {
  std::string name;      ///< "three-words"
  std::string title;     ///< one line
  std::string document;  ///< the tutorial's title and section
  std::vector<Step> steps;
  std::string remark;  ///< errors in the printed version, or what to observe

  /// \throws ContractError if there is no such step.
  const Step& step(std::string_view step_name) const;
};

/// All of them, in teaching order.
std::vector<WorkedExample> worked_examples();

/// \throws OptionsError listing all names, if there is none of this name.
WorkedExample worked_example(std::string_view name);

// By topic; `worked_examples` joins them.
std::vector<WorkedExample> attention_examples();  ///< queries, keys, values, scores, output
std::vector<WorkedExample> softmax_examples();    ///< weights, their scale and their sum
std::vector<WorkedExample> pattern_examples();    ///< which positions may attend to which
std::vector<WorkedExample> position_examples();   ///< sinusoids
std::vector<WorkedExample> layer_examples();      ///< layer norm, sizes, cost
std::vector<WorkedExample> training_examples();   ///< smoothing, schedule, batches

}  // namespace dragoman
