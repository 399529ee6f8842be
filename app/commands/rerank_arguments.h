#pragma once

#include "commands/search_arguments.h"

#include "dragoman/text/language_tags.h"
#include "dragoman/translate/reranker.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::app {

/// The options of the command line for reranking.
struct RerankArguments {
  std::vector<std::filesystem::path>
      reverse;                           ///< runs of the opposite direction; none = no such term
  std::filesystem::path language_model;  ///< run of 'dragoman lm train'; empty = no such term
  RerankWeights weights;

  /// Whether anything is to be reranked.
  bool any() const { return !reverse.empty() || !language_model.empty(); }

  /// \throws OptionsError if the hypotheses to rerank would not be those of a beam
  void expect_beam_search(const SearchArguments& search) const;

  /// The same of the whole configuration. \throws OptionsError
  void expect_choice(const SearchOptions& search) const;

  /// Loads the models; null if nothing is to be reranked.
  /// \param languages of the forward direction
  /// \param translates the vocabulary of the forward model
  /// \param device where the reverse models compute; the language model does on the CPU
  /// \param workers of the reverse models; 0 = one per core
  /// \throws as `open_runs`, `inference_models` and `language_model_scores` do; OptionsError if a
  ///     reverse model needs a language that is not named, or if no model reads the one named
  std::shared_ptr<const Reranker> reranker(const Languages& languages, const Vocabulary& translates,
                                           const std::string& device, std::int64_t workers) const;

 private:
  const char* first_option() const;
};

/// Adds the options that `arguments`, which must outlive `command`, are read from.
void add_rerank_arguments(CLI::App& command, RerankArguments& arguments);

}  // namespace dragoman::app
