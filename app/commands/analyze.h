#pragma once

#include "commands/text_files.h"

#include "dragoman/analysis/head_place.h"
#include "dragoman/analysis/head_statistics.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/translate/translation.h"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman::app {

/// -m, --checkpoint, --device, --from and --to of the analyses.
struct AnalyzedRun {
  std::filesystem::path model;
  std::string checkpoint;
  std::string device = "cpu";
  Languages languages;

  void add_options(CLI::App& command);

  /// With the model on `device`, and with the languages if any are named. Logs which kinds of
  /// attention the model lacks, if any.
  /// \throws OptionsError if there is no such device or language
  LoadedRun load() const;

  /// The same for another run, on the same device; with the languages if it has some.
  LoadedRun load_other(const std::filesystem::path& other, const std::string& which) const;

 private:
  LoadedRun load_on_device(const std::filesystem::path& run_dir, const std::string& which) const;
};

/// --source, --target and --limit: the text over which means are taken.
struct AnalyzedText {
  std::string source, target;
  std::int64_t limit = 200;

  /// Both sides are required.
  void add_options(CLI::App& command);

  /// For a command that does not always need a text: --target and --limit need --source.
  /// \return --source
  CLI::Option* add_optional(CLI::App& command);

  /// \throws OptionsError if standard input would be read twice, by these or by `others`.
  void expect_one_standard_input(std::vector<NamedText> others = {}) const;

  /// At most `limit` pairs; blank ones, and with a warning those that are longer than the model was
  /// trained on, are left out. Warns if `run` is multilingual and the text does
  /// not name its target language.
  /// \throws DataError if the files do not fit, or no pair is left.
  std::vector<LinePair> read(const LoadedRun& run) const;

  /// The same with blank ones, and blank in place of long ones, for output that is parallel to the
  /// text. \param lines set to those of the whole text, for files that are parallel to it
  std::vector<LinePair> read_with_blank(const LoadedRun& run, std::size_t& lines) const;

  /// The same for a text with another file parallel to it.
  /// \throws DataError if a line is blank on one side or longer than the model was trained on
  std::vector<LinePair> read_all_lines(const LoadedRun& run, std::size_t& lines) const;

  /// Whether a side has no text.
  static bool is_blank(const LinePair& pair);

 private:
  enum class BlankLines { kept, left_out };

  /// The first `limit` pairs of a text.
  struct FirstPairs {
    std::vector<LinePair> pairs = {};
    std::vector<std::size_t> lines = {};  ///< of each, from 0
    std::size_t all_lines = 0;            ///< of the whole text
  };

  /// The rest is read for its number of lines alone. Warns if the pairs do not name their target
  /// language.
  FirstPairs read_first(const LoadedRun& run, BlankLines blank) const;
  /// Makes those that are too long blank, with a warning.
  std::int64_t leave_out_long(std::vector<LinePair>& pairs, const LoadedRun& run,
                              std::span<const std::size_t> lines) const;
};

/// Why the attention of a pair may be untypical: the pair is longer than `data.max_length`. Empty
/// if it is not longer.
/// \param translation whose text the target is; null if the target was given
std::string fault_of_length(const LoadedRun& run, const LinePair& pair,
                            const Translation* translation);

/// How the importance of heads is measured and shown.
struct ImportanceOutput {
  bool ablation = false;  ///< measure the loss without each head too
  bool json = false;
};

/// Prints all heads, the least important first.
void print_importance(const LoadedRun& run, const std::vector<LinePair>& pairs,
                      const ImportanceOutput& output);

/// Prints the statistics of all heads with their roles and, as text, what the layers show.
void print_heads(const std::vector<LayerStatistics>& layers, std::size_t sentences, bool json);

/// Prints for each head the one of its layer that looks at the same keys most; as JSON, how far
/// each two of them are apart.
void print_similarity(const LoadedRun& run, const std::vector<LinePair>& pairs, bool json);

/// Prints how much weight the encoder's heads give to pairs of words that stand in a relation.
void print_relations(const LoadedRun& run, const AnalyzedText& text,
                     const std::filesystem::path& word_pairs, bool json);

/// The heads of the run by rising importance for these pairs.
std::vector<HeadPlace> heads_by_importance(const LoadedRun& run,
                                           const std::vector<LinePair>& pairs);

// Each adds one analysis to 'dragoman analyze'.
void add_analyze_attention(CLI::App& analyze);
void add_analyze_alignment(CLI::App& analyze);
void add_analyze_explanation(CLI::App& analyze);
void add_analyze_heads(CLI::App& analyze);
void add_analyze_positions(CLI::App& analyze);
void add_analyze_pruning(CLI::App& analyze);
void add_analyze_scale(CLI::App& analyze);
void add_analyze_sentences(CLI::App& analyze);

}  // namespace dragoman::app
