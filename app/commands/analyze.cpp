#include "commands/analyze.h"

#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "dragoman/analysis/model_parts.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/tensor/device.h"

#include <algorithm>
#include <utility>

namespace dragoman::app {

namespace {

std::int64_t longer_side(const LinePair& pair, const Vocabulary& vocabulary) {
  return std::max(std::ssize(vocabulary.source.encode(pair.source)),
                  std::ssize(vocabulary.target.encode(pair.target)));
}

std::string too_long(std::int64_t pieces, const LoadedRun& run) {
  return concat(
      "the pair has ", pieces,
      " pieces on a side, more than those that the model was trained on (data.max_length ",
      run.options.data.max_length, ")");
}

struct AnalyzedTextOptions {
  CLI::Option *source, *target, *limit;
};

AnalyzedTextOptions add_analyzed_text(CLI::App& command, AnalyzedText& text) {
  return {
      .source = command.add_option("--source", text.source,
                                   "Source text, plain or .gz; - = standard input"),
      .target = command.add_option("--target", text.target,
                                   "Target text, line for line; - = standard input"),
      .limit = command
                   .add_option("--limit", text.limit,
                               "Use at most this many pairs from the start of the text; 0 = all")
                   ->capture_default_str()
                   ->check(CLI::NonNegativeNumber)};
}

}  // namespace

void AnalyzedRun::add_options(CLI::App& command) {
  add_model_option(command, model)->required();
  add_checkpoint_option(command, checkpoint);
  add_device_option(command, device);
  add_language_options(command, languages);
}

LoadedRun AnalyzedRun::load() const {
  auto run = load_on_device(model, checkpoint);
  choose_named_languages(run.vocabulary, languages);
  if (const auto lacking = lacking_attention(run.options.model); !lacking.empty())
    log_info(lacking);
  return run;
}

LoadedRun AnalyzedRun::load_other(const std::filesystem::path& other,
                                  const std::string& which) const {
  auto run = load_on_device(other, which);
  if (has_languages(run.vocabulary)) choose_named_languages(run.vocabulary, languages);
  return run;
}

LoadedRun AnalyzedRun::load_on_device(const std::filesystem::path& run_dir,
                                      const std::string& which) const {
  const auto place = find_inference_device("--device", device);
  auto run = load_run(run_dir, which);
  run.model->to(place);
  return run;
}

void AnalyzedText::add_options(CLI::App& command) {
  const auto added = add_analyzed_text(command, *this);
  added.source->required();
  added.target->required();
}

CLI::Option* AnalyzedText::add_optional(CLI::App& command) {
  const auto added = add_analyzed_text(command, *this);
  for (auto* other : {added.target, added.limit}) other->needs(added.source);
  return added.source;
}

void AnalyzedText::expect_one_standard_input(std::vector<NamedText> others) const {
  others.insert(others.begin(), {{"--source", source}, {"--target", target}});
  app::expect_one_standard_input(others);
}

AnalyzedText::FirstPairs AnalyzedText::read_first(const LoadedRun& run, BlankLines blank) const {
  ParallelText text(std::vector{source}, std::vector{target});
  TargetReminder reminder(run.vocabulary.source, run.options.data, source);
  FirstPairs first;
  while (auto pair = text.next()) {
    const bool has_all = limit > 0 && std::ssize(first.pairs) == limit;
    if (has_all || (blank == BlankLines::left_out && is_blank(*pair))) continue;
    reminder.tell(text.pairs(), pair->source);
    first.lines.push_back(static_cast<std::size_t>(text.pairs() - 1));
    first.pairs.push_back(std::move(*pair));
  }
  first.all_lines = static_cast<std::size_t>(text.pairs());
  return first;
}

std::int64_t AnalyzedText::leave_out_long(std::vector<LinePair>& pairs, const LoadedRun& run,
                                          std::span<const std::size_t> lines) const {
  std::int64_t left_out = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto pieces = longer_side(pairs[i], run.vocabulary);
    if (pieces <= run.options.data.max_length) continue;
    if (++left_out == 1)
      log_warning(
          concat(source, ": line ", lines[i] + 1, ": ", too_long(pieces, run), "; it is left out"));
    pairs[i] = {};
  }
  if (left_out > 1) log_warning(concat(source, ": ", left_out, " such pairs are left out"));
  return left_out;
}

std::vector<LinePair> AnalyzedText::read(const LoadedRun& run) const {
  auto first = read_first(run, BlankLines::left_out);
  auto& pairs = first.pairs;
  const auto left_out = leave_out_long(pairs, run, first.lines);
  std::erase_if(pairs, is_blank);
  if (pairs.empty())
    throw DataError(concat(source, ": no pair ",
                           left_out > 0 ? "is left" : "has text on both sides",
                           "; give other files"));
  return std::move(pairs);
}

std::vector<LinePair> AnalyzedText::read_with_blank(const LoadedRun& run,
                                                    std::size_t& lines) const {
  auto first = read_first(run, BlankLines::kept);
  auto& pairs = first.pairs;
  lines = first.all_lines;
  leave_out_long(pairs, run, first.lines);
  if (std::ranges::all_of(pairs, is_blank))
    throw DataError(concat(source, ": no pair has text on both sides; give other files"));
  return std::move(pairs);
}

std::vector<LinePair> AnalyzedText::read_all_lines(const LoadedRun& run, std::size_t& lines) const {
  auto first = read_first(run, BlankLines::kept);
  auto& pairs = first.pairs;
  lines = first.all_lines;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto pieces = longer_side(pairs[i], run.vocabulary);
    const bool is_long = pieces > run.options.data.max_length;
    if (is_blank(pairs[i]) || is_long)
      throw DataError(concat(source, ": line ", i + 1, ": ",
                             is_long ? too_long(pieces, run) : "is blank on one side",
                             "; remove it from all files"));
  }
  return std::move(pairs);
}

std::string fault_of_length(const LoadedRun& run, const LinePair& pair,
                            const Translation* translation) {
  const auto pieces = longer_side(pair, run.vocabulary);
  if (pieces <= run.options.data.max_length) return {};
  const bool made = translation != nullptr;
  return concat(too_long(pieces, run), "; ",
                made && translation->split
                    ? "it was translated sentence by sentence, without the attention that is shown"
                : made && translation->cut
                    ? "its end was left out in translation, without the attention that is shown"
                    : "its attention may be unlike that of shorter ones");
}

bool AnalyzedText::is_blank(const LinePair& pair) {
  return pair.source.empty() || pair.target.empty();
}

void add_analyze(CLI::App& app) {
  auto* sub = app.add_subcommand(
      "analyze", "Analyse a trained model: attention, heads, alignments, positions");
  sub->require_subcommand(1);
  add_analyze_attention(*sub);
  add_analyze_heads(*sub);
  add_analyze_alignment(*sub);
  add_analyze_sentences(*sub);
  add_analyze_explanation(*sub);
  add_analyze_positions(*sub);
  add_analyze_pruning(*sub);
  add_analyze_scale(*sub);
}

}  // namespace dragoman::app
