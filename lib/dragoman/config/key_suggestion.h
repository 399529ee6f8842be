#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The options that somebody who wrote the unknown key `typed` probably meant: "max_step" or
/// "train.max_step" = train.max_steps, "train.d_model" = model.d_model, "lr" of other programs =
/// train.learning_rate. Empty if none is near.
std::vector<std::string> similar_keys(std::string_view typed);

/// "did you mean train.max_steps?", or empty.
std::string key_suggestion(std::string_view typed);

}  // namespace dragoman
