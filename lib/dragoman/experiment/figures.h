#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/results.h"

#include <string>

namespace dragoman {

/// A figure of the measurements, means over seeds with the spread as error bars, as one <svg>
/// element; empty if nothing has been measured.
std::string figure_svg(const Figure& figure, const ExperimentResult& result);

}  // namespace dragoman
