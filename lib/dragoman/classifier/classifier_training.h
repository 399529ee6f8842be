#pragma once

#include "dragoman/train/text_training.h"

namespace dragoman {

/// Trains a `Classifier` on texts and their labels into `request.run_dir`. The labels that occur in
/// the training text are its classes; a text longer than `data.max_length` pieces is truncated,
/// and the log counts such texts.
/// \throws OptionsError for a wrong configuration; DataError for texts and labels that do not fit
///     together, for an empty label, for fewer than two labels, for a label that occurs only in the
///     validation text; and what `train_text_model` throws
TrainingEnd train_classifier(const TextTrainRequest& request);

}  // namespace dragoman
