#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "commands/rerank_arguments.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"
#include "dragoman/run/run_files.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/translate_text.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

struct Translate {
  std::vector<std::filesystem::path> models;
  std::string input, output, prefix_file, checkpoint, shortlist;
  SearchArguments search;
  RerankArguments reranking;
  std::int64_t batch_lines = 2000;
  std::int64_t workers = 0;
  std::int64_t threads = 1;
  bool inline_prefix = false;
  bool any_attention = false;
  bool verbose = false;
  std::string device = "cpu";
  Languages languages;
  TranslationFormat format;

  TargetPrefixes prefixes() const {
    if (inline_prefix) return TargetPrefixes::inside_source();
    return prefix_file.empty() ? TargetPrefixes{} : TargetPrefixes::of_file(prefix_file);
  }

  /// --from and --to may be for the model that reranks alone.
  Languages own_languages(const RunFiles& run) const {
    auto own = languages;
    if (reranking.reverse.empty()) return own;
    if (source_languages(run.vocabulary).empty()) own.source.clear();
    if (target_languages(run.vocabulary).empty()) own.target.clear();
    return own;
  }

  std::shared_ptr<const Shortlist> shortlist_of(const Vocabulary& vocabulary) const {
    if (shortlist.empty()) return {};
    return std::make_shared<const Shortlist>(load_shortlist(shortlist, vocabulary));
  }

  void run() const {
    const auto source = input.empty() ? "-" : input;
    expect_one_standard_input({{"--input", source}, {"--target-prefix", prefix_file}});
    for (const auto& read : {source, prefix_file, shortlist}) {
      expect_other_file(output, read);
      expect_readable(read);
    }
    expect_writable(output);
    if (any_attention && search.model_overrides().empty())
      throw OptionsError("--any-attention: no --set model.KEY=VALUE selects an attention; add one");
    const auto swap = any_attention ? AttentionSwap::any : AttentionSwap::equal;
    reranking.expect_beam_search(search);
    auto runs = open_runs(models, checkpoint, search.model_overrides(), swap);
    for (const auto& run : runs) expect_no_text_of(output, run.options.data);
    choose_languages(runs, own_languages(runs.front()));
    const auto options = search.applied_to(runs.front().options);
    reranking.expect_choice(options.search);
    const LineTranslator translator(
        inference_models(runs, options.search, device), runs.front().vocabulary, options.search,
        {.workers = workers,
         .threads = threads,
         .max_source_length = options.data.max_length,
         .alignment = format.alignment || format.json,
         .seed = options.seed,
         .batch_tokens_given = search.give_batch_tokens(),
         .consensus = search.consensus(),
         .shortlist = shortlist_of(runs.front().vocabulary),
         .reranker = reranking.reranker(languages, runs.front().vocabulary, device, workers)});
    if (verbose) log_info(translator.description());
    auto target = open_output(output);
    auto lines = format;
    lines.n_best = options.search.n_best > 1 && !search.consensus();
    TargetReminder reminder(runs.front().vocabulary.source, options.data, text_place(source));
    translate_text({.source = source,
                    .prefixes = prefixes(),
                    .batch_lines = batch_lines,
                    .format = lines,
                    .on_line = [&](const Line& line) { reminder.tell(line.number, line.text); }},
                   translator, target);
  }
};

}  // namespace

void add_translate(CLI::App& app) {
  auto command = std::make_shared<Translate>();
  auto* sub = app.add_subcommand("translate", "Translate text, one line out for each line in");
  add_models_option(*sub, command->models)->required();
  add_checkpoint_option(*sub, command->checkpoint);
  sub->add_option("-i,--input", command->input,
                  "Text file, plain or .gz; - = standard input, the default");
  sub->add_option("-o,--output", command->output,
                  "File for the translations; - = standard output, the default");
  auto* prefix_file = sub->add_option("--target-prefix", command->prefix_file,
                                      "File of forced prefixes: translation n begins with line n; "
                                      "an empty line forces nothing; - = standard input");
  sub->add_flag(
         "--inline-prefix", command->inline_prefix,
         "Read the prefix from the source line, \"TEXT ||| PREFIX\"; lines without ||| have no "
         "prefix")
      ->excludes(prefix_file);
  add_search_arguments(*sub, command->search);
  add_rerank_arguments(*sub, command->reranking);
  sub->add_flag("--scores", command->format.scores,
                "Add \" ||| SCORE\": log-probability in nats after the length penalty; with --mbr "
                "the mean utility, 0 to 100; with --rerank-reverse and --rerank-lm the weighted "
                "sum");
  sub->add_flag(
      "--alignment", command->format.alignment,
      "Add \" ||| 0-0 1-2\", to each line of --n-best too: source piece - target piece, by "
      "cross-attention");
  sub->add_flag("--json", command->format.json,
                "One JSON object per line: text, tokens, scores, alignment, flags")
      ->excludes("--scores")
      ->excludes("--alignment");
  sub->add_option("--shortlist", command->shortlist,
                  "Vocabulary shortlist ('dragoman shortlist', or one of Marian or CTranslate2): "
                  "speeds up translation by computing logits only for the pieces it lists");
  sub->add_option("--batch-lines", command->batch_lines,
                  "Lines to read before translating; fewer if the input pauses")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  add_language_options(*sub, command->languages);
  add_device_option(*sub, command->device);
  add_workers_option(*sub, command->workers);
  sub->add_option("--threads", command->threads,
                  "Threads per worker; values above 1 may help with --workers 1")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, most_threads));
  sub->add_flag("--any-attention", command->any_attention,
                "Allow --set to select an attention kind other than the one trained with");
  sub->add_flag("--verbose", command->verbose,
                "Log the settings in use: workers, batches, precision, device");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
