#include "dragoman/analysis/worked_example.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"

#include <iterator>
#include <ranges>
#include <utility>

namespace dragoman {

const Step& WorkedExample::step(std::string_view step_name) const {
  for (const auto& each : steps)
    if (each.name == step_name) return each;
  throw ContractError(concat("example ", name, " has no step ", step_name));
}

std::vector<WorkedExample> worked_examples() {
  std::vector<WorkedExample> all;
  for (const auto& topic : {attention_examples, softmax_examples, pattern_examples,
                            position_examples, layer_examples, training_examples}) {
    auto some = topic();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

WorkedExample worked_example(std::string_view name) {
  auto examples = worked_examples();
  for (auto& example : examples)
    if (example.name == name) return std::move(example);
  throw OptionsError(concat("explain: no example \"", name, "\"; known: ",
                            joined(examples | std::views::transform(&WorkedExample::name))));
}

}  // namespace dragoman
