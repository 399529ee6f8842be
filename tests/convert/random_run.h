#pragma once

#include "dragoman/run/loaded_run.h"
#include "dragoman/run/parameters.h"
#include "text/text_support.h"

#include <torch/types.h>

namespace test {

/// A model for tests of formats, in the paper's form.
inline dragoman::RunOptions small_options() {
  dragoman::RunOptions options;
  options.model.d_model = 8;
  options.model.d_ff = 16;
  options.model.num_heads = 2;
  options.model.encoder_layers = 2;
  options.model.decoder_layers = 1;
  return options;
}

/// A run whose every parameter is random, biases and norms too.
/// \param joint one tokenizer for both sides
/// \param spread standard deviation of the parameters
inline dragoman::LoadedRun random_run(const dragoman::RunOptions& options, bool joint = true,
                                      double spread = 1.0) {
  const auto source = small_tokenizer();
  const auto target = joint ? source : small_tokenizer(dragoman::TokenizerType::unigram);
  dragoman::LoadedRun run{.options = options,
                          .vocabulary = {.source = source, .target = target, .joint = joint},
                          .checkpoint = {}};
  torch::manual_seed(1);
  run.model = dragoman::Transformer(
      options.model,
      dragoman::VocabularySizes{.source = source.vocab_size(), .target = target.vocab_size()});
  const torch::NoGradGuard no_grad;
  for (auto& parameter : run.model->parameters()) parameter.normal_(0.0, spread);
  run.model->eval();
  return run;
}

/// Gives padding the bias that CTranslate2's form has of it, where there are biases.
inline void forbid_padding(const dragoman::LoadedRun& run) {
  auto parameters = dragoman::parameters_of(*run.model);
  const auto bias = parameters.find("generator.bias");
  const torch::NoGradGuard no_grad;
  if (bias != parameters.end()) bias->second[run.vocabulary.target.special().pad].fill_(-1e4);
}

}  // namespace test
