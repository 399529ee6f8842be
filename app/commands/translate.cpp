#include "commands/commands.h"

#include "dragoman/core/log.h"
#include "dragoman/translate/run.h"
#include "dragoman/translate/translate_text.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace dragoman::app {

namespace {

struct Translate {
  std::filesystem::path model, input, output;
  std::string checkpoint;
  std::vector<std::string> overrides;
  std::optional<std::int64_t> beam_size, n_best, max_length, batch_tokens;
  std::optional<double> length_penalty;
  std::int64_t batch_lines = 2000;
  std::int64_t workers = 0;
  bool no_cache = false, any_attention = false;
  TranslationFormat format;

  SearchOptions search(const RunOptions& trained) const {
    auto search = trained.search;
    search.beam_size = beam_size.value_or(search.beam_size);
    search.n_best = n_best.value_or(search.n_best);
    search.max_length = max_length.value_or(search.max_length);
    search.batch_tokens = batch_tokens.value_or(search.batch_tokens);
    search.length_penalty = length_penalty.value_or(search.length_penalty);
    search.cache = search.cache && !no_cache;
    return search;
  }

  void run() const {
    const auto swap = any_attention ? AttentionSwap::any : AttentionSwap::equal;
    const auto run = load_run(model, checkpoint, overrides, swap);
    const Translator translator(run.model, run.vocabulary, search(run.options),
                                {.workers = workers,
                                 .max_source_length = run.options.data.max_length,
                                 .alignment = format.alignment || format.json});
    auto source = input.empty() ? LineReader::standard_input(LineUse::translation)
                                : LineReader(input, LineUse::translation);
    auto target = output.empty() ? LineWriter::standard_output() : LineWriter(output);
    auto lines = format;
    lines.n_best = n_best.has_value();
    translate_text(source, target, translator, batch_lines, lines);
  }
};

}  // namespace

void add_translate(CLI::App& app) {
  auto command = std::make_shared<Translate>();
  auto* sub = app.add_subcommand(
      "translate", "Translate text by beam search, one line out for each line in. Exit codes: 0 done, "
                   "1 a file or its text, 2 the command line, 141 the reader of stdout went away");
  sub->add_option("-m,--model", command->model, "Run folder, or one checkpoint of it")->required();
  sub->add_option("--checkpoint", command->checkpoint,
                  "latest, best-METRIC or step-N (default: the run's best, else the latest)");
  sub->add_option("-i,--input", command->input, "Text file, plain or .gz (default: standard input)");
  sub->add_option("-o,--output", command->output, "File for the translations (default: standard output)");
  sub->add_option("--beam-size", command->beam_size, "Hypotheses kept (default: the run's, 4)");
  sub->add_option("--length-penalty", command->length_penalty,
                  "alpha; larger prefers longer translations (default: the run's, 0.6)");
  sub->add_option("--n-best", command->n_best,
                  "Print so many alternatives as \"LINE ||| TEXT ||| SCORE\" (default: 1, the text alone)");
  sub->add_flag("--scores", command->format.scores,
                "Add \" ||| SCORE\": log-probability in nats after the length penalty");
  sub->add_flag("--alignment", command->format.alignment,
                "Add \" ||| 0-0 1-2\": source piece - target piece, by cross-attention");
  sub->add_flag("--json", command->format.json,
                "One JSON object a line: text, tokens, scores, alignment, flags");
  sub->add_option("--max-length", command->max_length,
                  "Pieces of a translation at most (default: 0 = source pieces + 50)");
  sub->add_option("--batch-lines", command->batch_lines,
                  "Lines read before they are translated; fewer when the input pauses")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  sub->add_option("--batch-tokens", command->batch_tokens,
                  "Source pieces of one batch, padding included (default: the run's, 4096)");
  sub->add_option("--workers", command->workers, "Threads; 0 = one per core")->capture_default_str();
  sub->add_flag("--no-cache", command->no_cache, "Read the whole prefix again at each step (slow)");
  sub->add_option("--set", command->overrides, "Override a search option: search.no_repeat_ngram=3, or attention by one that computes "
                  "the same: model.encoder_attention.kind=tiled (repeatable)");
  sub->add_flag("--any-attention", command->any_attention,
                "Let --set choose an attention that the weights were not trained with");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
