#include "dragoman/train/update_pipeline.h"

#include <utility>

namespace dragoman {

UpdatePipeline::UpdatePipeline(const UpdatedParts& parts, ChooseSettings choose, OnDone on_done)
    : parts_(parts), choose_(std::move(choose)), on_done_(std::move(on_done)) {}

void UpdatePipeline::finish() {
  if (started_) read_result(*std::exchange(started_, std::nullopt));
}

void UpdatePipeline::start(UpdateData data) {
  const auto settings = choose_(/*unread=*/started_ ? 1 : 0);
  auto update = start_update(parts_, data, settings, started_ ? &started_->update : nullptr);
  const auto before =
      std::exchange(started_, Started{std::move(data), settings, std::move(update)});
  if (before) read_result(*before);
}

void UpdatePipeline::read_result(const Started& started) {
  const auto result = result_of(started.update);
  on_done_(started.data, started.settings, result);
  if (result.applied) return;
  // Adam has counted this update, and the one after it, which has changed nothing either.
  parts_.adam.set_steps(parts_.adam.steps() - (started_ ? 2 : 1));
  if (started_) start(std::move(std::exchange(started_, std::nullopt)->data));
}

}  // namespace dragoman
