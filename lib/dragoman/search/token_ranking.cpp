#include "dragoman/search/token_ranking.h"

#include "dragoman/core/error.h"

#include <cmath>

namespace dragoman {

void expect_finite_output(double normaliser) {
  if (!std::isfinite(normaliser))
    throw DataError(
        "model: its output is NaN or infinite; use another checkpoint, the weights of "
        "this one are damaged");
}

}  // namespace dragoman
