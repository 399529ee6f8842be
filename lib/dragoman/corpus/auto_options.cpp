#include "dragoman/corpus/auto_options.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/metrics/tokenizers.h"
#include "dragoman/metrics/unicode.h"
#include "dragoman/text/characters.h"
#include "dragoman/text/lines.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace dragoman {

namespace {

/// The files of the training text after these settings, which need not fit together otherwise yet.
DataOptions named_texts(const std::vector<std::string>& settings,
                        const std::vector<OptionFlag>& flags) {
  auto all = default_options();
  merge_options(all, read_overrides(settings, flags).values);
  auto data = all.at("data").get<DataOptions>();
  if (data.train_source.empty())
    throw OptionsError(
        "--preset auto: chooses by the size of the training text, and none is named; give "
        "--train-source and --train-target (a run that exists resumes without --preset)");
  data.validate();
  return data;
}

void expect_regular_files(const DataOptions& data) {
  for (const auto* side : {&data.train_source, &data.train_target})
    for (const auto& file : *side) expect_regular(file);
  for (const auto& file : {data.valid_source, data.valid_target}) expect_regular(file);
}

/// "tokenizer.vocab_size=2000", or what was asked for in its place.
template <typename Value>
std::string setting(const char* key, Value chosen, Value used) {
  if (chosen == used) return concat(key, '=', used);
  return concat(key, '=', used, " as given, not ", chosen);
}

/// A learning rate that falls to 0 does so at the end of a training of another length, too.
void decay_to_the_end(TrainOptions& train) {
  if (train.max_steps > train.warmup_steps) train.decay_steps = train.max_steps;
}

std::string end_of(const RunOptions& options) {
  const auto& train = options.train;
  const auto latest = concat("after ", counted(train.max_steps, "update"), " at the latest");
  if (train.patience == 0) return concat("ends ", latest);
  if (options.data.valid_source.empty())
    return concat("ends ", latest,
                  "; with a validation text (--valid-source, --valid-target) it ends by itself");
  return concat("ends by itself after ", counted(train.patience, "validation"),
                " in a row without improvement, ", latest);
}

bool is_kana(char32_t character) { return character >= 0x3040 && character <= 0x30FF; }

/// How validations count words of text without spaces: zh, if nearly all of its characters are
/// Chinese, else char; nothing for text with spaces.
std::optional<BleuTokens> tokens_without_spaces(const std::vector<std::string>& lines) {
  if (!are_unsplit(lines, BleuTokenizer::mteval_13a)) return std::nullopt;
  std::int64_t chinese = 0, others = 0;
  for (const auto& line : lines)
    for (const auto c : utf8::decode_all(line))
      if (is_unspaced(c)) ++(is_wide(c) && !is_kana(c) ? chinese : others);
  return chinese > 9 * others ? BleuTokens::zh : BleuTokens::character;
}

/// Sets in `options` what the kind of text decides, unless a setting does.
/// \return that, for the log
std::string adapt_to_text(RunOptions& options, const std::map<std::string, std::string>& set,
                          bool learns_tokenizer) {
  constexpr std::size_t most_lines = 1000;
  std::string text;
  auto& tokenizer = options.tokenizer;
  auto& train = options.train;
  if (learns_tokenizer && !tokenizer.lowercase && !set.contains("tokenizer.normalization")) {
    if (const auto replaced = replaced_by_nfkc(options.data)) {
      tokenizer.normalization = Normalization::identity;
      text += concat("; tokenizer.normalization=identity, as NFKC would replace characters in ",
                     *replaced);
    }
  }
  const auto& valid = options.data.valid_target;
  std::error_code error;  // of a text that is missing, its reader tells
  if (train.validate_translations && !set.contains("train.bleu_tokenizer") &&
      std::filesystem::is_regular_file(valid, error)) {
    if (const auto tokens = tokens_without_spaces(first_lines(valid, most_lines))) {
      train.bleu_tokenizer = *tokens;
      text += concat("; train.bleu_tokenizer=", train.bleu_tokenizer_name(),
                     ", as the validation text has no spaces between words");
    }
  }
  return text;
}

/// The options for the size of the text that `data` names.
AutoOptions options_by_size(const DataOptions& data, const std::vector<std::string>& settings,
                            const std::vector<OptionFlag>& flags, const AutoUse& use) {
  log_info("preset auto: reading the training text");
  const auto size = corpus_size(data.train_source, data.train_target);
  auto choice = choose_preset(size);
  const auto places = read_overrides(settings, flags).places;
  if (use.more_text || places.contains("train.schedule")) choice.training.clear();
  AutoOptions found{.options = parse_run_options(choice.text(), "preset auto, " + choice.preset,
                                                 settings, flags)};
  if (!choice.training.empty() && !places.contains("train.decay_steps"))
    decay_to_the_end(found.options.train);
  const auto pieces = use.has_vocabulary ? std::string("the given vocabulary")
                                         : setting("tokenizer.vocab_size", choice.vocab_size,
                                                   found.options.tokenizer.vocab_size);
  const auto adapted = adapt_to_text(found.options, places, !use.has_vocabulary);
  found.reason =
      concat("preset auto: ", counted(size.pairs, "pair"), " with ",
             counted(size.target_words, "target word"), ", ", choice.reason, ": preset ",
             choice.preset, " with ", pieces, " and ",
             setting("model.dropout", choice.dropout, found.options.model.dropout),
             choice.training.empty() ? "; " : ", with the training for a text of this size; ",
             end_of(found.options), adapted);
  return found;
}

/// Those of the smallest preset.
AutoOptions options_without_size(const std::vector<std::string>& settings,
                                 const std::vector<OptionFlag>& flags) {
  const auto choice = choose_preset({});
  return {
      .options = parse_run_options(choice.text(), "preset auto, " + choice.preset, settings, flags),
      .reason = concat("preset auto: a text has errors; the check uses preset ", choice.preset,
                       " in place of a choice")};
}

bool holds_text(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const auto [character, length] = utf8::decode(line, at);
    if (!is_space(character)) return true;
    at += length;
  }
  return false;
}

}  // namespace

std::int64_t words_in(std::string_view line) {
  std::int64_t words = 0, unspaced = 0;
  bool counted = false;  // the word that the character belongs to
  for (std::size_t at = 0; at < line.size();) {
    const auto [character, length] = utf8::decode(line, at);
    at += length;
    if (is_unspaced(character)) ++unspaced;
    const bool is_mark = unicode::is_punctuation(character);
    if (is_unspaced(character) || is_space(character) || (is_mark && is_wide(character))) {
      counted = false;
    } else if (!counted && !is_mark) {
      ++words;
      counted = true;
    }
  }
  return words + (unspaced + 1) / 2;
}

CorpusSize corpus_size(std::span<const std::string> sources, std::span<const std::string> targets) {
  ParallelText text(sources, targets);
  CorpusSize size;
  while (const auto pair = text.next()) {
    if (!holds_text(pair->source) || !holds_text(pair->target)) continue;
    ++size.pairs;
    size.target_words += words_in(pair->target);
  }
  return size;
}

AutoOptions auto_run_options(const std::vector<std::string>& settings,
                             const std::vector<OptionFlag>& flags, const AutoUse& use) {
  const auto data = named_texts(settings, flags);
  try {
    expect_regular_files(data);
    return options_by_size(data, settings, flags, use);
  } catch (const DataError&) {
    if (use.is_check) return options_without_size(settings, flags);
    for (const auto& warning : glance_at_texts(data)) log_warning(warning);
    throw;
  }
}

}  // namespace dragoman
