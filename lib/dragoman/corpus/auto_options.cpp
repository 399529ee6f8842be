#include "dragoman/corpus/auto_options.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/corpus/parallel_text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dragoman {

namespace {

/// First and last characters of the scripts without blanks between words.
constexpr std::array<std::pair<char32_t, char32_t>, 7> unspaced_scripts = {{
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Burmese
    {0x1780, 0x17FF},    // Khmer
    {0x3040, 0x30FF},    // Hiragana, Katakana
    {0x3400, 0x9FFF},    // Chinese characters
    {0xF900, 0xFAFF},    // compatibility forms of them
    {0x20000, 0x3FFFF},  // rare ones
}};

bool is_unspaced(char32_t character) {
  return std::ranges::any_of(unspaced_scripts, [character](const auto& script) {
    return character >= script.first && character <= script.second;
  });
}

/// The files of the training text after these settings, which need not fit together otherwise yet.
DataOptions named_texts(const std::vector<std::string>& settings,
                        const std::vector<OptionFlag>& flags) {
  auto all = default_options();
  all.merge_patch(read_overrides(settings, flags).values);
  auto data = all.at("data").get<DataOptions>();
  if (data.train_source.empty())
    throw OptionsError(
        "--preset auto: chooses by the size of the training text, and none is named; give "
        "--train-source and --train-target (a run that exists resumes without --preset)");
  return data;
}

/// "tokenizer.vocab_size=2000", or what was asked for in its place.
template <typename Value>
std::string setting(const char* key, Value chosen, Value used) {
  if (chosen == used) return concat(key, '=', used);
  return concat(key, '=', used, " as given, not ", chosen);
}

/// Whether the learning rate is chosen by the user, who then chooses all of it.
bool names_rate(const std::vector<std::string>& settings, const std::vector<OptionFlag>& flags) {
  const auto places = read_overrides(settings, flags).places;
  return places.contains("train.schedule") || places.contains("train.learning_rate") ||
         places.contains("train.warmup_steps");
}

std::string end_of(const RunOptions& options) {
  const auto& train = options.train;
  const auto latest = train.max_steps > 0
                          ? concat("after ", grouped(train.max_steps), " updates at the latest")
                          : std::string("by no number of updates");
  if (train.patience == 0) return concat("ends ", latest);
  if (options.data.valid_source.empty())
    return concat("ends ", latest,
                  "; with a validation text (--valid-source, --valid-target) it ends by itself");
  return concat("ends by itself after ", train.patience,
                " validations in a row without improvement, ", latest);
}

}  // namespace

std::int64_t words_in(std::string_view line) {
  std::int64_t words = 0, unspaced = 0;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const auto [character, length] = utf8::decode(line, at);
    at += length;
    const bool is_blank = character == ' ' || character == '\t' || character == 0x3000;
    const bool counts_alone = is_unspaced(character);
    if (counts_alone) ++unspaced;
    const bool is_letter = !is_blank && !counts_alone;
    if (is_letter && !inside) ++words;
    inside = is_letter;
  }
  return words + (unspaced + 1) / 2;
}

CorpusSize corpus_size(std::span<const std::string> sources, std::span<const std::string> targets) {
  ParallelText text(sources, targets);
  CorpusSize size;
  const auto has_text = [](std::string_view line) {
    return line.find_first_not_of(" \t") != std::string_view::npos;
  };
  while (const auto pair = text.next()) {
    if (!has_text(pair->source) || !has_text(pair->target)) continue;
    ++size.pairs;
    size.target_words += words_in(pair->target);
  }
  return size;
}

AutoOptions auto_run_options(const std::vector<std::string>& settings,
                             const std::vector<OptionFlag>& flags, bool more_text) {
  const auto data = named_texts(settings, flags);
  log_info("preset auto: reading the training text");
  const auto size = corpus_size(data.train_source, data.train_target);
  auto choice = choose_preset(size);
  if (more_text || names_rate(settings, flags)) choice.training.clear();
  AutoOptions found{.options = parse_run_options(choice.text(), "preset auto, " + choice.preset,
                                                 settings, flags)};
  found.reason =
      concat("preset auto: ", grouped(size.pairs), " pairs with ", grouped(size.target_words),
             " target words, ", choice.reason, ": preset ", choice.preset, " with ",
             setting("tokenizer.vocab_size", choice.vocab_size, found.options.tokenizer.vocab_size),
             " and ", setting("model.dropout", choice.dropout, found.options.model.dropout),
             choice.training.empty() ? "; " : ", trained as a small text needs it; ",
             end_of(found.options));
  return found;
}

}  // namespace dragoman
