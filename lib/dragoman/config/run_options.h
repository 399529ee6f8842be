#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/config/model_options.h"
#include "dragoman/config/search_options.h"
#include "dragoman/config/tokenizer_options.h"
#include "dragoman/config/train_options.h"

namespace dragoman {

/// Everything a run is made from: the root of the configuration.
struct RunOptions {
  std::int64_t seed = 1;  ///< of initial weights, data order and dropout
  ModelOptions model;
  TokenizerOptions tokenizer;
  DataOptions data;
  TrainOptions train;
  SearchOptions search;

  /// Each part's `validate`, then the constraints between parts.
  /// \throws OptionsError naming the first option that is wrong.
  void validate() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunOptions, seed, model, tokenizer, data, train,
                                                search)

}  // namespace dragoman
