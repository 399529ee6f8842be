#pragma once

#include "dragoman/train/device_update.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace dragoman {

/// Updates one after another. On a GPU the result of each is read while the next one is under way,
/// so that the GPU never waits for the host; what they do to the weights is the same.
class UpdatePipeline {
 public:
  /// What an update is to do, asked when it is started.
  /// \param unread updates before it whose results are not known; they are expected to be applied
  using Settings = std::function<UpdateSettings(std::int64_t unread)>;

  /// Told of each update in order, once its result is known.
  using Done = std::function<void(const UpdateData& data, const UpdateSettings& settings,
                                  const UpdateResult& result)>;

  /// \param ahead start an update before the result of the previous one is read: of a process that
  ///     is alone, with one worker
  UpdatePipeline(const UpdatedParts& parts, bool ahead, Settings settings, Done done);

  /// Does an update, or starts it and finishes the one before it.
  void run(UpdateData data);

  /// Waits for the update that is under way, if there is one. If an earlier one was not applied, it
  /// had changed nothing, and is done again as the step that it now is.
  void finish();

  /// The data of the update that is under way; null = none.
  const UpdateData* under_way() const { return started_ ? &started_->data : nullptr; }

 private:
  struct Started {
    UpdateData data;
    UpdateSettings settings;
    StartedUpdate update;
  };

  void start(UpdateData data);
  void finish(const Started& started);

  UpdatedParts parts_;
  bool ahead_;
  Settings settings_;
  Done done_;
  std::optional<Started> started_;  // its result has not been read
};

}  // namespace dragoman
