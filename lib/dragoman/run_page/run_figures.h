#pragma once

#include "dragoman/run_page/run_history.h"

#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The curves of one or more training runs over their updates, one <svg> element for each quantity
/// that any of them has recorded: losses and scores of training and validation, learning rate, norm
/// of the gradient, speed, padding. Of long training runs, a point is the mean of several records.
std::vector<std::string> run_figures(std::span<const RunHistory> runs);

}  // namespace dragoman
