#pragma once

#include "dragoman/config/weight_type.h"
#include "dragoman/storage/checkpoint_store.h"
#include "dragoman/text/example.h"
#include "dragoman/translate/run.h"

#include <filesystem>
#include <vector>

namespace dragoman {

/// What fewer bytes do to the translations of a text.
struct QuantizationLoss {
  WeightType type = WeightType::int8;
  double bleu_float32 = 0.0;
  double bleu = 0.0;           ///< of the run that was made
  std::size_t sentences = 0;   ///< translated by both

  double difference() const { return bleu - bleu_float32; }
};

/// Makes `out_dir` a run whose file holds the weights of `run` as `type` (see `quantized`), and which
/// translates with products of that type. BLEU of both on `test` is measured and kept in its
/// state.json.
/// \param type not float32
/// \param test source and reference; at least one pair
/// \throws DataError if `out_dir` holds anything.
QuantizationLoss quantize_run(const LoadedRun& run, WeightType type, const std::vector<LinePair>& test,
                              const std::filesystem::path& out_dir);

}  // namespace dragoman
