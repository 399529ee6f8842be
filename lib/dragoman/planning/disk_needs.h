#pragma once

#include "dragoman/planning/estimate.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/train/train.h"

#include <cstdint>
#include <optional>

namespace dragoman {

/// What a training writes to one disk.
struct DiskNeed {
  double bytes = 0.0;                     ///< at most, besides what is there
  std::optional<std::int64_t> free = {};  ///< bytes; none if the system does not tell

  bool fits() const { return !free || bytes <= static_cast<double>(*free); }
};

/// What a training writes: checkpoints into the run folder, and the text as ids there, too, or into
/// the folder of --data-cache.
struct DiskNeeds {
  DiskNeed run;                             ///< on the disk of the run folder
  std::optional<DiskNeed> data_cache = {};  ///< on that of --data-cache, if it is another
  bool has_text = false;                    ///< the text as ids is there
};

/// Of the checkpoints that are there, those that the training keeps are not needed again: complete
/// ones up to the one that it resumes. Damaged ones, set aside or newer, stay besides.
/// \param has_text whether the folder of the text as ids has what the training needs
DiskNeeds disk_needs(const TrainRequest& request, const TrainingEstimate& estimate,
                     const std::optional<Checkpoint>& resumed, bool has_text);

}  // namespace dragoman
