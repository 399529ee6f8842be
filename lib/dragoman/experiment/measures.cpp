#include "dragoman/experiment/measures.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <array>

namespace dragoman {

namespace {

constexpr std::array all_measures = {
    Measure{"bleu", "BLEU", 2, ""},
    Measure{"chrf", "chrF2", 2, ""},
    Measure{"valid_nll", "loss on held-out text (nats a piece)", 4, ""},
    Measure{"valid_accuracy", "pieces right on held-out text", 4, ""},
    Measure{"train_nll", "loss on training text, with dropout (nats a piece)", 4, ""},
    Measure{"fit_nll", "loss on training text, without dropout (nats a piece)", 4, ""},
    Measure{"gap", "held-out loss less that on training text", 4, ""},
    Measure{"ece", "expected calibration error", 4, ""},
    Measure{"confidence", "mean probability of the best piece", 4, ""},
    Measure{"overconfidence", "confidence less accuracy", 4, ""},
    Measure{"parameters", "parameters", 0, ""},
    Measure{"skipped", "updates without a finite loss", 0, ""},
    Measure{"update_cpu_ms", "CPU time of an update (ms)", 1, ""},
    Measure{"update_memory_mb", "memory of an update (MiB)", 2, ""},
    Measure{"sentences_per_cpu_second", "sentences translated per CPU second", 0, ""},
    Measure{"gradient_ratio_initial", "gradient of the encoder's first layer / last, new weights",
            3, "gradients"},
    Measure{"gradient_ratio", "gradient of the encoder's first layer / last, trained", 3,
            "gradients"},
    Measure{"saturated_initial", "saturated rows of weights, new weights", 4, "saturation"},
    Measure{"saturated", "saturated rows of weights, trained", 4, "saturation"},
    Measure{"bleu_within", "BLEU within the trained lengths", 2, "lengths"},
    Measure{"bleu_beyond", "BLEU beyond them", 2, "lengths"},
    Measure{"nll_within", "loss within the trained lengths (nats a piece)", 4, "lengths"},
    Measure{"nll_beyond", "loss beyond them (nats a piece)", 4, "lengths"},
    Measure{"answers", "lines answered exactly", 4, "answers"},
    Measure{"answers_shortest", "the same of the shortest lines", 4, "answers"},
    Measure{"answers_longest", "the same of the longest lines", 4, "answers"},
};

}  // namespace

const Measure& measure_named(std::string_view name) {
  for (const auto& measure : all_measures)
    if (measure.name == name) return measure;
  std::string known;
  for (const auto& measure : all_measures) known += concat(known.empty() ? "" : ", ", measure.name);
  throw OptionsError(
      concat("unknown measure \"", printable(name, 80), "\"; choose one of ", known));
}

std::vector<std::string_view> extra_measurements() {
  return {"gradients", "saturation", "lengths", "answers"};
}

}  // namespace dragoman
