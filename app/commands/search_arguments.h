#pragma once

#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"
#include "dragoman/metrics/consensus.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

/// The options of the command line for the search.
struct SearchArguments {
  std::vector<std::string> overrides;  ///< --set
  std::optional<std::int64_t> beam_size, n_best, max_length, batch_tokens, no_repeat_ngram;
  std::optional<double> length_penalty, coverage_penalty;
  std::optional<std::int64_t> seed, top_k;
  std::optional<double> temperature, top_p;
  std::string precision;       ///< empty = the run's
  std::string early_stopping;  ///< empty = the run's
  std::string mbr;             ///< the utility of minimum Bayes risk decoding; empty = off
  std::optional<std::int64_t> samples;
  bool sample = false;
  bool no_cache = false;
  bool copy_unknown = false;

  /// A run's options, overridden by these.
  /// \throws OptionsError naming an option that has no effect on the requested search.
  RunOptions applied_to(const RunOptions& trained) const;

  /// The utility of --mbr; none without it.
  std::optional<Utility> consensus() const;

  /// The settings of --set that choose the model's attention, which is built before the search.
  std::vector<std::string> model_overrides() const;

  /// Whether search.batch_tokens is among these, rather than the run's.
  bool give_batch_tokens() const;
  /// What its options set, by their keys.
  std::vector<OptionFlag> flags() const;
};

/// A run's options with other ones of its search.
/// \param settings "search.beam_size=8"
/// \param option of the command line that they are given by
/// \throws OptionsError for a setting that no search depends on
RunOptions with_search_settings(const RunOptions& trained, const std::vector<std::string>& settings,
                                const std::string& option);

/// The same for a command that uses the best translation of each line, however many the run asks
/// for.
RunOptions with_one_best(RunOptions trained, const std::vector<std::string>& settings,
                         const std::string& option);

/// \throws OptionsError if the settings ask for more than the best translation
void expect_one_best(const std::vector<std::string>& settings, const std::string& option);

/// Adds the options that `arguments`, which must outlive `command`, are read from.
void add_search_arguments(CLI::App& command, SearchArguments& arguments);

}  // namespace dragoman::app
