#pragma once

#include "dragoman/data/update_counts.h"
#include "dragoman/loss/pass_sums.h"

namespace dragoman {

/// What the workers and ranks of an update add up.
struct UpdateSums {
  PassSums loss;
  UpdateCounts counts;

  UpdateSums& operator+=(const UpdateSums& other) {
    loss += other.loss;
    counts += other.counts;
    return *this;
  }
};

}  // namespace dragoman
