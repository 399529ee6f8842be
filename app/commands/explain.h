#pragma once

#include "dragoman/analysis/step.h"
#include "dragoman/text/language_tags.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::app {

/// How steps are printed.
struct ExplainOutput {
  StepFormat format;
  bool json = false;
};

/// A user's sentence, and the head of a trained model that is shown.
struct ExplainedSentence {
  std::filesystem::path model;
  std::string checkpoint, text, target;
  std::string kind = "encoder";
  std::int64_t layer = 1, head = 1;  ///< from 1
  Languages languages;
};

/// Prints all steps of one head for a sentence.
void explain_sentence(const ExplainedSentence& sentence, const ExplainOutput& output);

void print_steps(const std::vector<Step>& steps, const StepFormat& format);
nlohmann::ordered_json steps_json(const std::vector<Step>& steps);

}  // namespace dragoman::app
