#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/config/run_options.h"
#include "dragoman/experiment/tasks/task_options.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// One row of an experiment's table: the base configuration with some keys set.
struct Variant {
  std::string name;
  std::vector<std::string> set = {};     ///< "model.num_heads=8"
  std::vector<std::int64_t> seeds = {};  ///< instead of the experiment's, if the variant is
                                         ///< expensive
  std::string group = {};                ///< the line that it belongs to in a figure of values
  double value = 0.0;                    ///< its position on that figure's x axis
  TaskOptions task = {};                 ///< instead of the experiment's, if it has a kind
  /// Set, in addition to `set`, for a training before the variant's own: on the target side of the
  /// training text after the first `train_pairs`, each line with itself as its source. The variant
  /// begins with the best of its weights. Empty: there is no such training.
  std::vector<std::string> pretrain = {};
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Variant, name, set, seeds, group, value, task,
                                                pretrain)

/// The expected direction of a measure from one variant to another.
enum class Expectation { higher, lower, similar };
DRAGOMAN_ENUM_NAMES(Expectation, {{Expectation::higher, "higher"},
                                  {Expectation::lower, "lower"},
                                  {Expectation::similar, "similar"}})

/// A measure of one variant compared with that of another, or with a number.
struct Expected {
  std::string of;
  Expectation expect = Expectation::higher;
  std::string than = {};  ///< empty: compare with `value`
  double value = 0.0;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Expected, of, expect, than, value)

/// A claim found in the literature, as differences that can be measured.
struct Claim {
  std::string says;
  std::string measure;
  double margin = 0.0;  ///< the greatest difference of two similar measures; else the least that
                        ///< counts
  std::vector<Expected> compare = {};
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Claim, says, measure, margin, compare)

/// What a figure shows: a measure by the variants' values or as bars, losses by update,
/// reliability, gradients by layer, a measure by length, correct answers of a task by length, what
/// the heads attend to by encoder layer.
enum class FigureKind { values, bars, curves, reliability, layers, lengths, answers, heads };
DRAGOMAN_ENUM_NAMES(FigureKind, {{FigureKind::values, "values"},
                                 {FigureKind::bars, "bars"},
                                 {FigureKind::curves, "curves"},
                                 {FigureKind::reliability, "reliability"},
                                 {FigureKind::layers, "layers"},
                                 {FigureKind::lengths, "lengths"},
                                 {FigureKind::answers, "answers"},
                                 {FigureKind::heads, "heads"}})

struct Figure {
  FigureKind kind = FigureKind::bars;
  std::string title;
  std::string measure =
      {};               ///< for values and bars; layers: "encoder" or "decoder"; lengths: "bleu"
                        ///< or "nll"; heads: "distance", "neighbours" or "relations"
  std::string x = {};   ///< label of the x axis, for values and answers
  std::string of = {};  ///< curves: "train" or "valid"; layers: "initial" or "trained"
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Figure, kind, title, measure, x, of)

/// One table of experiments: variants that differ in a few keys, what is measured on each, and the
/// claims to be judged by it.
struct Experiment {
  std::string name;              ///< name of its file, without ".json"
  std::filesystem::path folder;  ///< folder of its file
  std::string title;             ///< a question
  std::string about;
  std::string config;  ///< the base configuration, a file relative to the definition's folder
  std::vector<std::string> set;     ///< set for all variants
  std::vector<std::int64_t> seeds;  ///< each variant is trained once with each
  double expected_minutes = 0.0;    ///< of all its training runs, on one thread
  std::int64_t train_pairs = 0;     ///< use only this many first pairs of the training text; 0 =
                                    ///< all
  TaskOptions task = {};            ///< the synthetic text to use; without a kind, the user's text
  /// Measured in addition to the defaults: "gradients", "saturation", "lengths", "answers",
  /// "heads".
  std::vector<std::string> measure;
  std::vector<std::int64_t> length_limits;  ///< ascending upper lengths of the buckets, source
                                            ///< pieces
  std::string word_pairs = {};  ///< for "heads": relations of the words of the first held-out
      ///< sources (`read_word_pairs`), relative to the definition's folder
  std::vector<Variant> variants;
  std::vector<std::string> columns;  ///< measures in the table
  std::vector<Figure> figures;
  std::vector<Claim> claims;

  /// \throws OptionsError "no variant ..." if there is none of this name
  const Variant& variant(const std::string& name) const;
  const std::vector<std::int64_t>& seeds_of(const Variant& variant) const;
  /// The synthetic text that a variant is trained on, if any.
  const TaskOptions& task_of(const Variant& variant) const;
  /// Whether some variant is trained on the user's text.
  bool needs_text() const;
  /// Whether `part` is measured in addition to the defaults.
  bool measures(std::string_view part) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Experiment, title, about, config, set, seeds,
                                                expected_minutes, train_pairs, task, measure,
                                                length_limits, word_pairs, variants, columns,
                                                figures, claims)

/// Reads a definition: strict JSON; unknown keys, values of another type, unknown names of variants
/// and measures, and what would mean nothing are refused.
/// \throws OptionsError "FILE: /pointer: fact; remedy"; DataError if it cannot be read
Experiment read_experiment(const std::filesystem::path& file);

/// The definitions of a folder with the given names (or "all"), in that order.
/// \throws OptionsError listing the existing ones, if one does not exist
std::vector<Experiment> read_experiments(const std::filesystem::path& folder,
                                         const std::vector<std::string>& names);

/// \param place of the settings in the message: "--set"
/// \throws OptionsError if `settings` ("seed=2") set an option that experiments set themselves: the
///     seed and the texts
void expect_own_options_free(const std::vector<std::string>& settings, const std::string& place);

/// The configuration of one training: base, settings of all variants, the variant, `overrides`, the
/// seed. \throws OptionsError as `read_run_options` and `expect_own_options_free` do
RunOptions trial_options(const Experiment& experiment, const Variant& variant, std::int64_t seed,
                         const std::vector<std::string>& overrides = {});

/// The configuration of the training before that of a variant with `pretrain`, which is set before
/// `overrides`. \throws as `trial_options`; OptionsError if its model or pieces are not the
/// variant's, or if each language has its own pieces
RunOptions pretraining_options(const Experiment& experiment, const Variant& variant,
                               std::int64_t seed, const std::vector<std::string>& overrides = {});

/// The folder of a training: "run-" and twelve digits derived from all its options except the names
/// of texts and of the device, from the task if there is one, and from the training before it.
/// Tables that have a training in common share it.
/// \param before the name of the training before it, if there is one
std::string trial_name(const Experiment& experiment, const Variant& variant,
                       const RunOptions& options, const std::string& before = "");

/// The same for the training before that of a variant. \param options `pretraining_options`
std::string pretraining_name(const Experiment& experiment, const RunOptions& options);

}  // namespace dragoman
