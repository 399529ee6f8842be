#include "commands/commands.h"
#include "commands/model_options.h"
#include "commands/text_files.h"

#include "dragoman/config/run_options.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/thread.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/run/run_files.h"
#include "dragoman/shortlist/bitext_reader.h"
#include "dragoman/shortlist/learn_shortlist.h"
#include "dragoman/shortlist/shortlist_coverage.h"
#include "dragoman/shortlist/shortlist_file.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

struct MakeShortlist {
  std::filesystem::path model, data_cache;
  std::string checkpoint, input, output;
  std::vector<std::string> sources, targets;
  std::string valid_source, valid_target;
  std::string format = "marian";
  std::optional<std::int64_t> first, best;
  std::optional<double> threshold;
  std::size_t pairs = 2000000;
  std::int64_t threads = 0;

  void run() const {
    std::vector<NamedText> texts = {{"--valid-source", valid_source},
                                    {"--valid-target", valid_target}};
    for (const auto& file : sources) texts.push_back({"--source", file});
    for (const auto& file : targets) texts.push_back({"--target", file});
    expect_one_standard_input(texts);
    for (const auto* side : {&sources, &targets})
      for (const auto& file : *side) expect_other_file(output, file);
    for (const auto& file : {valid_source, valid_target, input}) expect_other_file(output, file);
    expect_writable(output);
    const auto run = open_run(model, ModelKind::translation, checkpoint);
    expect_no_text_of(output, run.options.data);
    std::vector<LinePair> held_out;  // of --valid-source, checked before the work
    if (!valid_source.empty())
      held_out = read_parallel(std::vector{valid_source}, std::vector{valid_target});
    const auto shortlist = input.empty() ? learned(run) : read(run);
    write_output(output, shortlist_bytes(shortlist, run.vocabulary,
                                         nlohmann::json(format).get<ShortlistFormat>()));
    log_info(concat("wrote ", counted(std::ssize(shortlist.targets), "pair"), " of pieces",
                    shortlist.first > 0
                        ? concat(", and ", counted(shortlist.first, "piece"), " always allowed,")
                        : std::string(),
                    " to ", output == "-" ? "standard output" : output));
    tell_coverage(shortlist, run, std::move(held_out));
  }

  Shortlist learned(const RunFiles& run) const {
    LearnShortlistOptions options{.threads = threads > 0 ? threads : available_cores()};
    if (first) options.first = *first;
    if (best) options.best = *best;
    if (threshold) options.threshold = *threshold;
    options.validate();
    return learn_shortlist(text_of(run), shortlist_vocabulary(run.vocabulary), options);
  }

  Bitext text_of(const RunFiles& run) const {
    if (!sources.empty()) {
      auto options = run.options.data;
      options.train_source = sources;
      options.train_target = targets;
      // The run's languages are those of its own files.
      for (auto& [key, tags] : {std::pair{"data.source_tag", &options.source_tag},
                                std::pair{"data.target_tag", &options.target_tag}}) {
        if (tags->size() != sources.size()) tags->clear();
        if (!tags->empty())
          log_info(concat(key, ": the files have ", nlohmann::json(*tags).dump(),
                          " in this order, as those of the run"));
      }
      return encode_bitext(options, run.vocabulary, pairs);
    }
    return read_training_bitext(data_cache.empty() ? data_folder_of(run) : data_cache,
                                run.vocabulary, pairs);
  }

  /// Another file's, shortened if an option asks for it.
  Shortlist read(const RunFiles& run) const {
    if (!best && !threshold && !first) return load_shortlist(input, run.vocabulary);
    const auto read = read_shortlist(input, run.vocabulary);
    if ((best || threshold) && read.shortlist.probabilities.empty())
      throw DataError(concat(input,
                             ": has no probabilities, by which its lists could be shortened; ",
                             "leave out --best and --threshold, or learn a shortlist anew"));
    const bool is_text = read.format == ShortlistFormat::marian_text;
    auto shortlist = cut_down(read.shortlist, {.best = best.value_or(is_text ? marian_best : 0),
                                               .threshold = threshold.value_or(0.0)});
    if (first || is_text)
      shortlist.first = std::min(first.value_or(marian_first), shortlist.vocabulary.sizes.target);
    return shortlist;
  }

  /// How much of a text's translations the shortlist allows, where there is one.
  /// \param held_out of --valid-source; empty = the run's validation text
  void tell_coverage(const Shortlist& shortlist, const RunFiles& run,
                     std::vector<LinePair> held_out) const {
    const auto& trained = run.options.data;
    const auto source = valid_source.empty() ? trained.valid_source : valid_source;
    const auto target = trained.valid_target;  // of the run's
    const auto skipped = [this](const std::string& why) {
      log_warning(concat("the shortlist's coverage was not measured: ", why, "; give ",
                         valid_source.empty() ? "a" : "another",
                         " held-out text by --valid-source and --valid-target"));
    };
    if (source.empty()) return skipped("the run has no validation text");
    if (valid_source.empty())
      for (const auto& file : {source, target})
        if (!std::filesystem::exists(file))
          return skipped(file + ", the run's validation text, does not exist");
    EncodedCorpus text;
    try {  // the shortlist is written in any case
      if (valid_source.empty()) held_out = read_parallel(std::vector{source}, std::vector{target});
      text = encode_corpus(held_out, run.vocabulary, trained, source);
    } catch (const DataError& error) {
      return skipped(concat('(', error.what(), ')'));
    }
    log_info(concat("the shortlist covers ",
                    coverage_of(shortlist, text.examples).text(run.vocabulary.target.vocab_size()),
                    " (", source, ')'));
  }
};

void add_text_options(CLI::App& sub, MakeShortlist& command) {
  auto* source = sub.add_option("--source", command.sources,
                                "Text to learn from, source side: files, plain or .gz (default: "
                                "the run's training text, RUN_DIR/data)");
  auto* target =
      sub.add_option("--target", command.targets, "Target side of --source, line by line");
  source->needs(target);
  target->needs(source);
  auto* cache = sub.add_option("--data-cache", command.data_cache,
                               "Folder of the encoded training text, if the run was trained with "
                               "--data-cache")
                    ->excludes(source);
  auto* valid_source =
      sub.add_option("--valid-source", command.valid_source,
                     "Held-out text on which the coverage is measured (default: the run's)");
  auto* valid_target =
      sub.add_option("--valid-target", command.valid_target, "Its translation, line for line");
  valid_source->needs(valid_target);
  valid_target->needs(valid_source);
  sub.add_option(
         "-i,--input", command.input,
         "A shortlist to rewrite in --format instead of learning one, in any of the "
         "formats; --best and --threshold shorten its lists if it has probabilities (marian-text)")
      ->excludes(source)
      ->excludes(cache);
}

void add_size_options(CLI::App& sub, MakeShortlist& command) {
  sub.add_option("--first", command.first,
                 "Number of most frequent target pieces that are always allowed (default: 100); "
                 "with --input, how many of the lowest ids")
      ->check(CLI::NonNegativeNumber);
  sub.add_option("--best", command.best,
                 "Number of most probable target pieces per source piece (default: 100)")
      ->check(CLI::PositiveNumber);
  sub.add_option("--threshold", command.threshold,
                 "Minimum probability of a target piece given the source piece (default: 0)")
      ->check(CLI::Range(0.0, 1.0));
  auto* other = sub.get_option("--input");
  sub.add_option(
         "--pairs", command.pairs,
         "Maximum number of sentence pairs to learn from, evenly spread over the text; 0 = all")
      ->capture_default_str()
      ->excludes(other);
  sub.add_option("--threads", command.threads,
                 "Threads that align; 0 = one per core. The result is the same for any number")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, most_threads))
      ->excludes(other);
}

}  // namespace

void add_shortlist(CLI::App& app) {
  auto command = std::make_shared<MakeShortlist>();
  auto* sub = app.add_subcommand(
      "shortlist",
      "Learn which target pieces may translate which source pieces, for faster translation on a "
      "CPU");
  add_model_option(*sub, command->model)->required();
  add_checkpoint_option(*sub, command->checkpoint);
  sub->add_option("-o,--output", command->output, "File for the shortlist; - = standard output")
      ->required();
  sub->add_option("-f,--format", command->format,
                  "marian (binary), marian-text (TARGET SOURCE PROBABILITY) or ctranslate2 "
                  "(vmap.txt)")
      ->check(CLI::IsMember({"marian", "marian-text", "ctranslate2"}))
      ->capture_default_str();
  add_text_options(*sub, *command);
  add_size_options(*sub, *command);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
