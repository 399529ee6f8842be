#include "dragoman/train/update_pipeline.h"

#include <utility>

namespace dragoman {

UpdatePipeline::UpdatePipeline(const UpdatedParts& parts, bool ahead, Settings settings, Done done)
    : parts_(parts), ahead_(ahead), settings_(std::move(settings)), done_(std::move(done)) {}

void UpdatePipeline::run(UpdateData data) {
  if (ahead_) return start(std::move(data));
  const auto settings = settings_(/*unread=*/0);
  done_(data, settings, update(parts_.workers, parts_.adam, parts_.average, data, settings));
}

void UpdatePipeline::finish() {
  if (started_) finish(*std::exchange(started_, std::nullopt));
}

/// Starts an update, then reads the result of the one before it.
void UpdatePipeline::start(UpdateData data) {
  const auto settings = settings_(started_ ? 1 : 0);
  auto update = start_update(parts_, data, settings, started_ ? &started_->update : nullptr);
  const auto before =
      std::exchange(started_, Started{std::move(data), settings, std::move(update)});
  if (before) finish(*before);
}

void UpdatePipeline::finish(const Started& started) {
  const auto result = result_of(started.update);
  done_(started.data, started.settings, result);
  if (result.applied) return;
  // Adam has counted this update, and the one after it, which has changed nothing either.
  parts_.adam.set_steps(parts_.adam.steps() - (started_ ? 2 : 1));
  if (started_) start(std::move(std::exchange(started_, std::nullopt)->data));
}

}  // namespace dragoman
