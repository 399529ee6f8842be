#pragma once

#include "dragoman/train/update.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <optional>

namespace dragoman {

/// An update that is queued on a device.
struct StartedUpdate {
  /// [6] float64: the loss's four sums, the gradient's norm, and 1 if the update was applied, else
  /// 0. A GPU's are in the host's memory, which has them from `copied` on.
  at::Tensor numbers;
  std::optional<c10::Event> copied;
  at::Tensor failed;  ///< scalar float32 on the device: 1 = it changes no weight, else 0
  std::int64_t tokens = 0;
  UpdateCounts counts = {};
};

/// Queues on the device what `update` does, without waiting: the device decides by the norm whether
/// to clip and whether to change the weights. Adam counts the step in any case.
/// \param parts of a process that is alone, with one worker
/// \param before the previous update, if its result has not been read; null = it has. If that one
///     changes no weight, neither does this one, which has then to be started again.
StartedUpdate start_update(const UpdatedParts& parts, const UpdateData& data,
                           const UpdateSettings& settings, const StartedUpdate* before);

/// Waits for the update, not for what the device does after it. If it was not applied, Adam's
/// steps have to be set back.
UpdateResult result_of(const StartedUpdate& update);

}  // namespace dragoman
