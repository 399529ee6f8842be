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
  /// Called when an update is started: what it is to do.
  /// \param unread updates before it whose results are not known; they are expected to be applied
  using ChooseSettings = std::function<UpdateSettings(std::int64_t unread)>;

  /// Called for each update in order, once its result is known.
  using OnDone = std::function<void(const UpdateData& data, const UpdateSettings& settings,
                                    const UpdateResult& result)>;

  /// \param ahead start an update before the result of the previous one is read; only for a process
  ///     that is alone, with one worker
  UpdatePipeline(const UpdatedParts& parts, bool ahead, ChooseSettings choose, OnDone on_done);
  UpdatePipeline(const UpdatePipeline&) = delete;
  UpdatePipeline& operator=(const UpdatePipeline&) = delete;

  /// Does an update; ahead, starts it and reads the result of the one before it. If that one was
  /// not applied, this one has changed nothing either, and is started again.
  void run(UpdateData data);

  /// Waits for the update that is under way, if there is one.
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
  void read_result(const Started& started);

  UpdatedParts parts_;
  bool ahead_;
  ChooseSettings choose_;
  OnDone on_done_;
  std::optional<Started> started_;  // its result has not been read
};

}  // namespace dragoman
