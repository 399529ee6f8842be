#pragma once

/// \file The interface for programs that translate: text to text. It needs nothing of LibTorch.
/// What this header and those that it includes declare changes only with the minor version
/// before 1.0, and with the major version after it; CHANGELOG.md says how.

#if __cplusplus < 202002L
#error "dragoman/translator.h needs C++20: compile with -std=c++20 or later"
#endif
#include <cstdint>
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#error "libdragoman.so has the standard library's default ABI: leave out _GLIBCXX_USE_CXX11_ABI=0"
#endif
#ifdef _GLIBCXX_DEBUG
#error "libdragoman.so is built for the standard library's default ABI: leave out _GLIBCXX_DEBUG"
#endif

#include "dragoman/core/error.h"
#include "dragoman/core/log_sink.h"
#include "dragoman/core/version.h"
#include "dragoman/translate/pair_score.h"
#include "dragoman/translate/translation.h"

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How a Translator is made of a run.
struct TranslatorOptions {
  /// "latest", "best-bleu", "step-00001200"; empty = the best by the run's own metric, else the
  /// latest.
  std::string checkpoint = {};
  /// Options that differ from the run's own, in the form of the program's `--set`:
  /// "search.beam_size=8", "search.precision=int8", "seed=2". Those of `search`, `seed` and
  /// `data.max_length` may be set, and of `model` an attention that computes the same;
  /// `dragoman info --options` describes them.
  std::vector<std::string> set = {};
  /// For a multilingual model: the language of the lines, if the model needs it, and the target
  /// language, by the codes of `Translator::info`.
  std::string source_language = {}, target_language = {};
  /// "cpu", "cuda" (the first GPU) or "cuda:N"; a GPU turns off cuDNN's attention and
  /// TensorFloat-32 in this process.
  std::string device = "cpu";
  /// Threads for all calls of `translate`, and as many for those of `score`, which start when they
  /// are needed and stay until the Translator's end; 0 = one per core, on a GPU at most 2.
  std::int64_t workers = 0;
  bool alignment = false;  ///< fill `Alternative::alignment`
  /// Minimum Bayes risk decoding: "chrf" or "bleu" chooses, of `search.n_best` samples of a line
  /// (100 are usual), the one with the highest mean utility against all. Needs
  /// `search.sample=true`; empty = no such choice.
  std::string consensus = {};
  /// File of a vocabulary shortlist ('dragoman shortlist', or one of Marian or CTranslate2): only
  /// the logits of pieces that it lists are computed, and `translate`'s log-probabilities are of
  /// the softmax over these. Empty = none.
  std::filesystem::path shortlist = {};
};

/// Facts about a model, or the first one of an ensemble.
struct ModelInfo {
  std::filesystem::path checkpoint;  ///< the folder that was read
  std::int64_t step = 0;             ///< updates that it was trained for
  /// Of a sentence, EOS not counted: a longer line is split, and a longer sentence cut.
  std::int64_t max_source_pieces = 0;
  /// Codes, sorted; none if there is no choice.
  std::vector<std::string> source_languages, target_languages;
};

/// A trained model, or several as an ensemble, ready to translate and to score.
///
///     const auto translator = dragoman::Translator::load("runs/demo");
///     std::cout << translator.translate("the cat sees the dog .").text() << '\n';
///
/// Calls never change it, and any number of threads may make them at once: a call of few lines does
/// not wait for the end of a long one, the oldest of which gets every fourth batch if
/// there are always shorter ones. Assigning to it, or destroying it, must not coincide with
/// other threads' use of the same object; copies are cheap and share the model, so that a server
/// that replaces its model keeps a `std::atomic<std::shared_ptr<const Translator>>`, of which each
/// request takes one. Calls that are under way end with the model that they began with. On the CPU
/// it translates with the weights packed for this processor in `search.precision`; further
/// Translators of the same run may use another precision or device at the same time. On the CPU and
/// without LibTorch, a child of fork() may use it, too, if no thread of the parent was in a call or
/// wrote to the log at that moment; it starts threads of its own.
///
/// It changes no signal handler, no locale, no random generator, nor the number of threads that
/// LibTorch uses for others. On a GPU, LibTorch's use of cuDNN's attention and of TensorFloat-32 is
/// turned off. On a processor with AMX, Linux is asked for the tile registers, after which an
/// alternate signal stack needs getauxval(AT_MINSIGSTKSZ) bytes, about 12 kB (the environment
/// variable DRAGOMAN_CPU=avx512 prevents this). LibTorch itself is only loaded on a GPU, for models
/// with layers or attention that the engine does not support, and for `search.cache=false`; such a
/// Translator must not be used once the process has begun to exit, as by a static object's
/// destructor or by a thread that outlives main.
///
/// The run's files may be replaced or deleted at any time. A weight file that is modified in place
/// is not read again: see `score`, which then throws FormatError.
///
/// Every error is a `dragoman::Error`, except what the caller's own `progress` throws. Warnings go
/// to stderr, or where `set_log_sink` sends them; `set_log_level` chooses more or less.
class Translator {
 public:
  /// \param folder what 'dragoman train' wrote, or one checkpoint folder by itself
  /// \throws DataError if there is no such run or checkpoint, if it is not of a translation model,
  ///     or needs LibTorch, which is not installed; FormatError if it is damaged; OptionsError for
  ///     a wrong option, a device that is not there, or a shortlist with a model that has to
  ///     compute all logits
  [[nodiscard]] static Translator load(const std::filesystem::path& folder,
                                       const TranslatorOptions& options = {});

  /// An ensemble: the mean of the models' probabilities.
  /// \param folders runs with one vocabulary; at least one
  /// \throws as above; DataError if the vocabularies differ
  [[nodiscard]] static Translator load(std::span<const std::filesystem::path> folders,
                                       const TranslatorOptions& options = {});
  [[nodiscard]] static Translator load(std::initializer_list<std::filesystem::path> folders,
                                       const TranslatorOptions& options = {}) {
    return load(std::span(folders.begin(), folders.size()), options);
  }

  /// A Translator of the same models with these options in place of its own; to change some, start
  /// from `options()`. It shares the weights, unless `search.precision`, `search.cache` or an
  /// attention differs, and then also the threads, unless `workers` or the shortlist differs.
  /// \param options whose `checkpoint` and `device` are those of `load`
  /// \throws as `load`; OptionsError for another checkpoint or device; FormatError if it needs
  ///     other weights and the file was written to after `load`
  [[nodiscard]] Translator with(const TranslatorOptions& options) const;

  /// Those that it was made with.
  [[nodiscard]] TranslatorOptions options() const;

  // Without moves: they copy, so that no Translator is ever empty.
  Translator(const Translator&) = default;
  Translator& operator=(const Translator&) = default;

  /// One translation for each line, in order. A line is UTF-8; bytes that are not are read as
  /// U+FFFD (see `Translation::invalid`), control characters as blanks. A blank line gives an empty
  /// text. Long calls are faster than many short ones: lines are sorted by length and searched
  /// together.
  /// \param context prefixes are UTF-8, too
  /// \throws LineError for the first line whose prefix is not valid UTF-8 or, if there is none,
  ///     that reaches the length limit or holds EOS; DataError if there is not one for each line,
  ///     an output is not finite, or the system refuses a thread; OptionsError if
  ///     `context.first_line` is negative; Cancelled if `context.stop` asks for it
  [[nodiscard]] std::vector<Translation> translate(std::span<const std::string> lines,
                                                   const LinesContext& context = {}) const;
  [[nodiscard]] std::vector<Translation> translate(std::initializer_list<std::string> lines,
                                                   const LinesContext& context = {}) const {
    return translate(std::span(lines.begin(), lines.size()), context);
  }

  /// One line. Another `context.first_line` draws another sample.
  [[nodiscard]] Translation translate(std::string_view line,
                                      const LinesContext& context = {}) const;

  /// log P(targets[i] | sources[i]), with float32 weights whatever `search.precision` is; those are
  /// made by the first call that needs them. A blank line counts as EOS alone. No line is cut: the
  /// time grows with the square of its length.
  /// \throws LineError for the first pair of which a line is not valid UTF-8 or, if there is none,
  ///     longer than the model's learned positions or than 32,768 pieces; DataError if the numbers
  ///     of lines differ, an output is not finite, or the system refuses a thread; FormatError if
  ///     the weights were written to after `load`, before the first call; Cancelled soon after
  ///     `stop` asks for it
  [[nodiscard]] std::vector<PairScore> score(std::span<const std::string> sources,
                                             std::span<const std::string> targets,
                                             const std::stop_token& stop = {}) const;
  [[nodiscard]] std::vector<PairScore> score(std::initializer_list<std::string> sources,
                                             std::initializer_list<std::string> targets,
                                             const std::stop_token& stop = {}) const {
    return score(std::span(sources.begin(), sources.size()),
                 std::span(targets.begin(), targets.size()), stop);
  }

  /// The pieces that a line is read as, EOS not included, before it is split or cut.
  [[nodiscard]] std::vector<std::string> source_pieces(std::string_view line) const;

  [[nodiscard]] ModelInfo info() const;

  /// Human-readable settings: "2 workers of 1 thread, batches of 512 source pieces, int8 weights
  /// packed for this processor's instructions".
  [[nodiscard]] std::string description() const;

 private:
  struct Parts;
  explicit Translator(std::shared_ptr<const Parts> parts);

  std::shared_ptr<const Parts> parts_;
};

/// The version of the library that is loaded; `version` is that of the headers.
const char* library_version() noexcept;

}  // namespace dragoman
