#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/option_flags.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/config/overrides.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/planning/benchmark.h"
#include "dragoman/run/run_files.h"
#include "dragoman/tensor/mkl_on_amd.h"
#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/benchmark.h"
#include "dragoman/translate/inference_models.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace dragoman::app {

namespace {

/// Size of the random text that replaces a real one.
constexpr std::int64_t random_pairs = 29000;
constexpr std::int64_t random_sentences = 1000;

struct Bench {
  std::string config, preset = "tiny", model, source, target, device = "cpu";
  std::vector<std::string> overrides;
  double seconds = 20.0;
  bool json = false;

  /// The run of -m; none without it.
  std::optional<RunFiles> run_files() const {
    if (model.empty()) return std::nullopt;
    return open_run(model, ModelKind::translation);
  }

  static VocabularySizes sizes_of(const Vocabulary& vocabulary) {
    return {.source = vocabulary.source.vocab_size(), .target = vocabulary.target.vocab_size()};
  }

  /// Of a model with new weights.
  RunOptions new_options() const {
    return config.empty() ? preset_run_options(preset, overrides)
                          : read_run_options(config, overrides);
  }

  /// Those of a model with random weights. Beam search alone is measured: nothing of a training or
  /// of a text has an effect.
  RunOptions options_of_random_weights() const {
    expect_settings_of(
        {"model", "search", "seed", "train.workers", "tokenizer.vocab_size"}, overrides,
        "changes no translation by random weights; give model.KEY=VALUE or search.KEY=VALUE");
    const auto chosen = new_options();
    for (const auto& [key, is_on] : {std::pair{"search.greedy", chosen.search.greedy},
                                     {"search.sample", chosen.search.sample}})
      if (is_on)
        throw OptionsError(concat("bench translate: ", key, ": random weights are measured with ",
                                  "beam search alone; set it to false, or give -m RUN_DIR"));
    for (const char* key : {"search.max_length", "search.max_length_offset"})
      if (set_option(overrides, key))
        throw OptionsError(concat("--set ", key,
                                  ": random weights never end a translation: each is ",
                                  "as long as the random target; leave it out"));
    return chosen;
  }

  template <typename Result>
  void print(const Result& result) const {
    nlohmann::ordered_json record = result.json();
    record["mkl_fast_path"] = mkl_fast_path_chosen();
    if (json)
      print_record(record);
    else
      std::cout << result.text();
  }

  std::vector<LinePair> pairs() const {
    if (target.empty()) throw OptionsError("bench: --source without --target; give both");
    expect_one_standard_input({{"--source", source}, {"--target", target}});
    return read_parallel(std::vector{source}, std::vector{target});
  }

  /// Of the settings of a text, those that choose its pairs and pieces.
  std::vector<std::string> groups_of_training() const {
    std::vector<std::string> groups = {"model", "train", "seed", "data.prefetch"};
    if (!source.empty())
      for (const char* filter : {"data.max_length", "data.max_ratio", "data.drop_duplicates"})
        groups.emplace_back(filter);
    if (model.empty()) groups.emplace_back(source.empty() ? "tokenizer.vocab_size" : "tokenizer");
    return groups;
  }

  void train() const {
    expect_settings_of(groups_of_training(), overrides,
                       "changes no update; give model.KEY=VALUE or train.KEY=VALUE");
    const auto run = run_files();
    const auto chosen = run ? with_overrides(run->options, overrides) : new_options();
    if (source.empty()) {
      const auto pieces = chosen.tokenizer.vocab_size;
      const auto sizes =
          run ? sizes_of(run->vocabulary) : VocabularySizes{.source = pieces, .target = pieces};
      const auto examples =
          random_examples(random_pairs, std::min(sizes.source, sizes.target), {}, 1);
      return print(benchmark_training(chosen, examples, sizes, seconds));
    }
    const auto text = pairs();
    const auto vocabulary =
        run ? run->vocabulary : learn_vocabulary(text, chosen.tokenizer, 1, source, target);
    const auto corpus = encode_corpus(text, vocabulary, chosen.data,
                                      corpus_place(std::vector{source}, std::vector{target}));
    print(benchmark_training(chosen, corpus.examples, sizes_of(vocabulary), seconds));
  }

  void translate() const {
    if (model.empty()) {
      if (!source.empty())
        throw OptionsError("bench translate: --source needs a trained model; give -m RUN_DIR");
      const auto chosen = options_of_random_weights();
      const auto vocab_size = chosen.tokenizer.vocab_size;
      const auto examples = random_examples(random_sentences, vocab_size, {}, 1);
      return print(benchmark_random_translation(chosen, examples, vocab_size, seconds));
    }
    if (source.empty()) throw OptionsError("bench translate: no text; give --source FILE");
    const auto start = std::chrono::steady_clock::now();
    const auto run = open_run(model, ModelKind::translation);
    const auto chosen = with_search_settings(run.options, overrides, "--set");
    const LineTranslator translator(
        inference_models({&run, 1}, chosen.search, device), run.vocabulary, chosen.search,
        {.max_source_length = chosen.data.max_length,
         .seed = chosen.seed,
         .batch_tokens_given = set_option(overrides, "search.batch_tokens")});
    const auto load = seconds_since(start);
    const auto lines = read_input(source, LineUse::translation);
    if (lines.empty()) throw DataError(concat(source, ": has no lines; give another text"));
    print(benchmark_translation(translator, chosen.search, lines, load, seconds));
  }

  void add_options(CLI::App& sub) {
    auto* size = sub.add_option("--preset", preset,
                                "Model size: tiny, small, base, big; with random weights")
                     ->check(CLI::IsMember(preset_names()))
                     ->capture_default_str();
    auto* file =
        sub.add_option("-c,--config", config, "Configuration file (JSON) instead of a preset")
            ->excludes(size);
    auto* run = sub.add_option("-m,--model", model,
                               "Run folder instead of a preset: its configuration and pieces")
                    ->excludes(size)
                    ->excludes(file);
    const bool trains = sub.get_name() == "train";
    add_set_option(sub, overrides, trains ? "train.precision=bf16" : "search.beam_size=8");
    sub.add_option("--seconds", seconds, "Measuring time in seconds, after a warm-up")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    auto* text = sub.add_option(
        "--source", source,
        trains ? "Source text; without it, random sentences as long as image captions"
               : "Text to translate, with --model alone, which needs it; else random sentences as "
                 "long as image captions");
    if (trains)
      sub.add_option("--target", target, "Target text, line for line")->needs(text);
    else
      add_device_option(sub, device)->needs(run);
    sub.add_flag("--json", json, "One JSON object instead of a table");
  }
};

}  // namespace

void add_bench(CLI::App& app) {
  auto* sub = app.add_subcommand("bench", "Measure speed and memory on this machine");
  sub->require_subcommand(1);
  auto command = std::make_shared<Bench>();
  auto* train = sub->add_subcommand("train", "Training: target tokens/s, GFLOP/s, time by part");
  auto* translate =
      sub->add_subcommand("translate", "Beam search: sentences/s, target tokens/s, load time");
  add_bench_attention(*sub);
  add_bench_complexity(*sub);
  add_bench_kernels(*sub);
  add_bench_parallel(*sub);
  add_bench_path(*sub);
  add_bench_recompute(*sub);
  add_bench_rnn(*sub);
  command->add_options(*train);
  train->callback([command] { command->train(); });
  auto other = std::make_shared<Bench>();
  other->add_options(*translate);
  translate->callback([other] { other->translate(); });
}

}  // namespace dragoman::app
