#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"

#include <c10/core/Device.h>

#include <filesystem>
#include <vector>

namespace dragoman {

/// The effect of quantisation on the translations of a text.
struct QuantizationLoss {
  WeightType type = WeightType::int8;
  double bleu_float32 = 0.0;
  double bleu = 0.0;          ///< of the quantised run
  std::size_t sentences = 0;  ///< translated by both
  std::string tokenizer;      ///< of BLEU

  double difference() const { return bleu - bleu_float32; }
};

/// On what the effect is measured.
struct QuantizationTest {
  std::vector<LinePair> pairs;     ///< source and reference; at least one
  c10::Device device = c10::kCPU;  ///< where both translate; a GPU for bf16 only
};

/// Creates `out_dir` as a run that stores the weights of `run` as `type` (see `quantized`) and
/// translates with products of that type, with the shortlists of an imported run. BLEU of both on
/// `test` is measured and stored in its state.json.
/// \param run on the CPU
/// \param type not float32
/// \throws DataError if `out_dir` is not empty; OptionsError for int8 on a GPU
QuantizationLoss quantize_run(const LoadedRun& run, WeightType type, const QuantizationTest& test,
                              const std::filesystem::path& out_dir);

}  // namespace dragoman
