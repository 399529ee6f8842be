#include "dragoman/experiment/measures.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"

#include <array>
#include <cmath>
#include <ranges>

namespace dragoman {

namespace {

constexpr std::array all_measures = {
    Measure{"bleu", "BLEU", 2, "", Better::higher, ErrorSource::test_text},
    Measure{"chrf", "chrF2", 2, "", Better::higher, ErrorSource::test_text},
    Measure{"valid_nll", "loss on held-out text (nats per piece)", 4, "", Better::lower,
            ErrorSource::seed},
    Measure{"valid_accuracy", "pieces right on held-out text", 4, "", Better::higher,
            ErrorSource::seed},
    Measure{"train_nll", "loss on training text, with dropout (nats per piece)", 4, "",
            Better::lower, ErrorSource::seed},
    Measure{"fit_nll", "loss on training text, without dropout, last weights (nats per piece)", 4,
            "", Better::lower, ErrorSource::seed},
    Measure{"gap", "held-out loss less that on training text, both by the last weights", 4, "",
            Better::neither, ErrorSource::seed},
    Measure{"ece", "expected calibration error", 4, "", Better::lower, ErrorSource::seed},
    Measure{"confidence", "mean probability of the best piece", 4, "", Better::neither,
            ErrorSource::seed},
    Measure{"overconfidence", "confidence minus accuracy", 4, "", Better::neither,
            ErrorSource::seed},
    Measure{"parameters", "parameters", 0, "", Better::neither, ErrorSource::nothing},
    Measure{"skipped", "updates without a finite loss or gradient", 0, "", Better::lower,
            ErrorSource::seed},
    Measure{"update_cpu_ms", "CPU time of a batch, both passes (ms)", 1, "", Better::neither,
            ErrorSource::timing},
    Measure{"update_memory_mb", "memory of a batch, both passes (MiB)", 2, "", Better::neither,
            ErrorSource::nothing},
    Measure{"sentences_per_cpu_second", "sentences translated per CPU second", 0, "",
            Better::neither, ErrorSource::timing},
    Measure{"gradient_ratio_initial",
            "gradient of the encoder's first layer / last, initial weights", 3, "gradients",
            Better::neither, ErrorSource::seed},
    Measure{"gradient_ratio", "gradient of the encoder's first layer / last, trained", 3,
            "gradients", Better::neither, ErrorSource::seed},
    Measure{"decoder_gradient_ratio_initial",
            "gradient of the decoder's first layer / last, initial weights", 3, "gradients",
            Better::neither, ErrorSource::seed},
    Measure{"decoder_gradient_ratio", "gradient of the decoder's first layer / last, trained", 3,
            "gradients", Better::neither, ErrorSource::seed},
    Measure{"saturated_initial", "saturated rows of weights, new weights", 4, "saturation",
            Better::neither, ErrorSource::seed},
    Measure{"saturated", "saturated rows of weights, trained", 4, "saturation", Better::neither,
            ErrorSource::seed},
    Measure{"neighbours_first", "weight within one position, first encoder layer less the others",
            3, "heads", Better::neither, ErrorSource::seed},
    Measure{"relations_middle",
            "weight on related words, second to middle encoder layer less the others", 3, "heads",
            Better::neither, ErrorSource::seed},
    Measure{"distance_upper",
            "distance attended to, upper half of the encoder less the lower (tokens)", 2, "heads",
            Better::neither, ErrorSource::seed},
    Measure{"bleu_within", "BLEU within the trained lengths", 2, "lengths", Better::higher,
            ErrorSource::test_text},
    Measure{"bleu_beyond", "BLEU beyond the trained lengths", 2, "lengths", Better::higher,
            ErrorSource::test_text},
    Measure{"nll_within", "loss within the trained lengths (nats per piece)", 4, "lengths",
            Better::lower, ErrorSource::test_text},
    Measure{"nll_beyond", "loss beyond the trained lengths (nats per piece)", 4, "lengths",
            Better::lower, ErrorSource::test_text},
    Measure{"answers", "lines answered exactly", 4, "answers", Better::higher, ErrorSource::share},
    Measure{"answers_shortest", "shortest lines answered exactly", 4, "answers", Better::higher,
            ErrorSource::share},
    Measure{"answers_longest", "longest lines answered exactly", 4, "answers", Better::higher,
            ErrorSource::share},
};

}  // namespace

const Measure& measure_named(std::string_view name) {
  for (const auto& measure : all_measures)
    if (measure.name == name) return measure;
  throw OptionsError(concat('"', printable(name, 80), "\" is not a measure; choose one of ",
                            joined(all_measures | std::views::transform(&Measure::name))));
}

std::string_view part_of_measure(std::string_view name) {
  const auto found = std::ranges::find(all_measures, name, &Measure::name);
  return found == all_measures.end() ? std::string_view() : found->part;
}

std::string measured_number(double value, int digits) {
  const bool is_shown = std::abs(value) >= 0.5 * std::pow(10.0, -digits);
  if (value == 0.0 || is_shown || digits < 3) return decimal(value, digits);
  auto exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (std::abs(value) * std::pow(10.0, -exponent) >= 9.95) ++exponent;  // shown as 10.0
  return concat(decimal(value * std::pow(10.0, -exponent), 1), 'e', exponent);
}

std::vector<std::string_view> extra_measurements() {
  return {"gradients", "saturation", "lengths", "answers", "heads"};
}

}  // namespace dragoman
