#pragma once

#include "dragoman/experiment/results.h"
#include "experiment/synthetic_result.h"

#include <string>

namespace test {

inline const dragoman::ReportFacts facts = {
    .text = "a.en and a.de", .machine = "cpu", .version = "1"};

/// Two measured variants and one that is not, with a claim and all kinds of figures.
inline dragoman::ExperimentResult reported() {
  using dragoman::Expectation, dragoman::FigureKind;
  auto result =
      synthetic_result({{"plain", {20.0, 20.2}}, {"<b>|bold_", {22.0, 22.2}}, {"none", {}}});
  auto& experiment = result.experiment;
  experiment.claims = {{.says = "bold <i>wins</i>",
                        .measure = "bleu",
                        .compare = {{"<b>|bold_", Expectation::higher, "plain"}}}};
  for (const auto kind :
       {FigureKind::values, FigureKind::bars, FigureKind::curves, FigureKind::reliability,
        FigureKind::layers, FigureKind::lengths, FigureKind::answers, FigureKind::heads})
    experiment.figures.push_back({.kind = kind,
                                  .title = "Drawn",
                                  .measure = kind == FigureKind::layers ? "encoder" : "bleu",
                                  .x = "x",
                                  .of = "train"});
  for (auto& trial : result.trials) {
    trial.record.train = {.step = {10, 20}, .nll = {5.0, 4.0}};
    trial.record.reliability = {{0.0, 0.5, 10, 0.3, 0.25}, {0.5, 1.0, 30, 0.8, 0.75}};
    trial.record.gradients = {{"encoder", 1, 0.5, 0.25}, {"encoder", 2, 1.0, 0.5}};
    dragoman::add_gradient_ratios(trial.record);
    trial.record.heads = {{1, 0.5, 2.0, 0.5, 0.1}, {2, 1.0, 3.0, 0.25, 0.2}};
    trial.record.lengths = {{1, 8, 3, 20.0, 2.0}, {9, 0, 0, 0.0, 0.0}};
    trial.record.answers = {{2, 50, 1.0}, {100, 50, 0.5}};
  }
  return result;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace test
