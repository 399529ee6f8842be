#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/metrics/scoring.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/likelihood.h"
#include "dragoman/translate/translation.h"

#include <string>
#include <vector>

namespace dragoman {

/// A text and its reference, line for line.
struct ReferencedText {
  std::string name, reference_name;  ///< of the files, without their folders
  std::vector<std::string> source, reference;
};

/// A run's translations of a text, and the likelihood of its references.
struct RunOnText {
  std::string name;  ///< of the run, on the page
  RunFiles files;
  InferenceModels models;                 ///< one
  std::vector<Translation> translations;  ///< of each line of the source
  std::vector<std::string> texts;         ///< theirs
  Likelihood likelihood;                  ///< of the references
};

/// How translations of a text are scored on a page: with intervals, and by the tokenizer for BLEU
/// that the run's validations use (`train.bleu_tokenizer`).
ScoringOptions page_scoring(const RunOnText& run);

}  // namespace dragoman
