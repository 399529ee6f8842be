#include "dragoman/experiment/prepared_text.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/learn_tokenizer.h"

#include <algorithm>

namespace dragoman {

namespace {

/// A name derived from everything that determines pieces and ids.
std::string text_name(const Experiment& experiment, const TrialTexts& texts,
                      const RunOptions& options) {
  auto data = options.data;
  data.train_source = data.train_target = {};
  data.valid_source = data.valid_target = {};
  nlohmann::json tokenizer = options.tokenizer;
  tokenizer.erase("hard_vocab_limit");  // decides no piece
  nlohmann::json parts = {tokenizer, data, experiment.train_pairs};
  // The folder of a synthetic text is named after everything that determines it.
  if (texts.task != TaskKind::none)
    parts.push_back(std::filesystem::path(texts.test_target).parent_path().filename().string());
  return "text-" + sha256_hex(parts.dump()).substr(0, 12);
}

/// Writes the first pairs to separate files, whose names are set in `options`.
void take_first_pairs(const Experiment& experiment, const TrialTexts& texts,
                      const std::filesystem::path& folder, RunOptions& options) {
  const auto source = folder / "train.source", target = folder / "train.target";
  if (!std::filesystem::exists(target)) {
    std::string sources, targets;
    for (const auto& pair : first_training_pairs(texts, experiment.train_pairs)) {
      sources += pair.source + '\n';
      targets += pair.target + '\n';
    }
    write_file_atomically(source, sources);
    write_file_atomically(target, targets);
  }
  options.data.train_source = {source.string()};
  options.data.train_target = {target.string()};
}

/// Not a training's own: all trainings have these pieces, whichever comes first.
constexpr std::uint64_t learning_seed = 1;

void learn_pieces(const std::filesystem::path& file, const RunOptions& options) {
  log_info(concat("learning ", options.tokenizer.vocab_size, " pieces for all training runs of ",
                  corpus_place(options.data.train_source, options.data.train_target)));
  const auto passes = [&](const auto& visit) {
    ParallelText text(options.data.train_source, options.data.train_target);
    while (const auto pair = text.next()) visit(*pair);
  };
  const auto vocabulary =
      learn_vocabulary(passes, options.tokenizer, learning_seed, options.data.train_source.front(),
                       options.data.train_target.front());
  write_file_atomically(file, vocabulary.source.bytes());
}

/// The pairs after the first ones, their targets alone.
void write_other_targets(const Experiment& experiment, const TrialTexts& texts,
                         const std::filesystem::path& file) {
  std::string targets;
  ParallelText text(texts.train_source, texts.train_target);
  for (std::int64_t number = 0; const auto pair = text.next();)
    if (!pair->source.empty() && !pair->target.empty() && ++number > experiment.train_pairs)
      targets += pair->target + '\n';
  write_file_atomically(file, targets);
}

}  // namespace

PreparedText prepare_text(const Experiment& experiment, const TrialTexts& texts,
                          const std::filesystem::path& dir, RunOptions& options) {
  PreparedText text{.folder = dir / text_name(experiment, texts, options), .tokenizer = {}};
  make_folder(text.folder);
  options.data.train_source = texts.train_source;
  options.data.train_target = texts.train_target;
  options.data.valid_source = texts.valid_source;
  options.data.valid_target = texts.valid_target;
  if (experiment.train_pairs > 0) take_first_pairs(experiment, texts, text.folder, options);
  if (!options.tokenizer.joint) return text;
  text.tokenizer = text.folder / "tokenizer.model";
  if (!std::filesystem::exists(*text.tokenizer)) {
    const RunLock lock(text.folder, IfLocked::wait);
    if (!std::filesystem::exists(*text.tokenizer)) learn_pieces(*text.tokenizer, options);
  }
  return text;
}

void expect_other_targets(const Experiment& experiment, const TrialTexts& texts) {
  const auto first = experiment.train_pairs;
  const bool needed = std::ranges::any_of(
      experiment.variants, [](const Variant& variant) { return !variant.pretrain.empty(); });
  if (needed && std::ssize(first_training_pairs(texts, first + 1)) <= first)
    throw DataError(concat(corpus_place(texts.train_source, texts.train_target),
                           ": has no more than ", first, " pairs with text, and experiment ",
                           experiment.name, " pre-trains on those after them; give a longer text"));
}

PreparedText prepare_other_targets(const Experiment& experiment, const TrialTexts& texts,
                                   const PreparedText& pairs, RunOptions& options) {
  const auto targets = (pairs.folder / "other.target").string();
  if (!std::filesystem::exists(targets)) write_other_targets(experiment, texts, targets);
  options.data.train_source = options.data.train_target = {targets};
  options.data.valid_source = options.data.valid_target = texts.valid_target;
  return {.folder = pairs.folder / ("other-" + text_name(experiment, texts, options)),
          .tokenizer = pairs.tokenizer};
}

}  // namespace dragoman
