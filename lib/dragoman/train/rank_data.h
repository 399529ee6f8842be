#pragma once

#include "dragoman/train/train.h"
#include "dragoman/train/training_data.h"

#include <filesystem>
#include <optional>

namespace dragoman {

// Text and vocabulary of a training, which all of its ranks have in common: rank 0 leads, the
// others follow.

/// Where the text is, or will be, as ids.
std::filesystem::path data_folder_of(const TrainRequest& request);

/// \throws OptionsError if the folder of the text as ids is the run's own
void expect_own_data_folder(const TrainRequest& request);

/// Reads the training text, unless the folder of the encoded text has its identity.
/// \throws DataError if it is not the text of the checkpoint, which is one of `run_dir`
void expect_text_of(const Checkpoint& checkpoint, const TrainRequest& request);

/// The text and the vocabulary of rank 0, which the other ranks then have too: they encode their
/// text while rank 0 does, or find it encoded where they share the folder.
/// \param checkpoint to resume from, if there is one
/// \param known the vocabulary, unless it is to be learned from the text
/// \throws DataError if the text is not that of the checkpoint, or unusable; OptionsError if the
///     vocabulary cannot be learned
TrainingData lead_data(const TrainRequest& request, const std::optional<Checkpoint>& checkpoint,
                       const std::optional<Vocabulary>& known, Communicator& group);

/// The same on any other rank. \throws DataError for unusable text
TrainingData follow_data(const TrainRequest& request, Communicator& group);

/// To be called by all ranks.
/// \throws DataError naming the ranks whose configuration or text differs from that of rank 0
void expect_same_everywhere(Communicator& group, RunOptions options, const TrainingData& data);

}  // namespace dragoman
