#pragma once

#include "dragoman/train/device_update.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace dragoman {

/// Updates of a process that trains alone on a GPU. The result of each is read while the next one
/// is under way, so that the GPU never waits for the host; the weights are those of `update`, one
/// after another.
class UpdatePipeline {
 public:
  /// Called when an update is started: what it is to do.
  /// \param unread updates before it whose results are not known; they are expected to be applied
  using ChooseSettings = std::function<UpdateSettings(std::int64_t unread)>;

  /// Called for each update in order, once its result is known.
  using OnDone = std::function<void(const UpdateData& data, const UpdateSettings& settings,
                                    const UpdateResult& result)>;

  /// \param parts with one worker
  UpdatePipeline(const UpdatedParts& parts, ChooseSettings choose, OnDone on_done);
  UpdatePipeline(const UpdatePipeline&) = delete;
  UpdatePipeline& operator=(const UpdatePipeline&) = delete;

  /// Starts an update, then reads the result of the one before it. If that one was not applied,
  /// this one has changed nothing either, and is started again.
  void start(UpdateData data);

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

  void read_result(const Started& started);

  UpdatedParts parts_;
  ChooseSettings choose_;
  OnDone on_done_;
  std::optional<Started> started_;  // its result has not been read
};

}  // namespace dragoman
