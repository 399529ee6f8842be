#include "commands/synthetic_training.h"

#include "commands/device_option.h"
#include "commands/model_options.h"
#include "commands/option_flags.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/config/device_name.h"
#include "dragoman/config/overrides.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/distributed/launch.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/model_file.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/train.h"
#include "dragoman/train/train_run.h"
#include "dragoman/translate/inference_models.h"

namespace dragoman::app {

namespace {

constexpr const char* search_option = "--search";

/// Warns of files without text. \throws DataError if none has any
void expect_text(const std::vector<std::string>& files) {
  std::vector<std::string> blank;
  for (const auto& file : files) {
    LineReader reader(file, LineUse::training);
    auto line = reader.next();
    while (line && line->text.empty()) line = reader.next();
    if (!line) blank.push_back(file);
  }
  if (blank.size() == files.size())
    throw DataError(joined(blank) + ": no line has text; give another file");
  for (const auto& file : blank) log_warning(file + ": no line has text");
}

}  // namespace

RunOptions SyntheticTraining::options() {
  if (run_dir.empty()) throw OptionsError(command + ": no run folder; give -o RUN_DIR");
  const bool has_run =
      std::filesystem::exists(run_dir / config_file) && std::filesystem::exists(synthetic_dir());
  if (has_run && config.empty() && preset.empty() && start_from.empty())
    throw OptionsError(concat(command, ": ", run_dir.string(), " has begun already; repeat the ",
                              "whole command to resume it or, once the text is translated, ",
                              "'dragoman train -o ", run_dir.string(), '\''));
  expect_one_best(search, search_option);
  expect_search_settings(search, search_option, /*also_model=*/false);
  for (const auto& text : monolingual) expect_regular_file(text);
  if (!dump_config) {
    expect_single_process(command);
    expect_inference_device_name("--translate-device", device);
    runs = open_runs(models, checkpoint);
    choose_languages(runs, languages);
  }
  return run_options(command);
}

void SyntheticTraining::run_on(const RunOptions& options, const std::vector<std::string>& texts,
                               const DataOptions& original) {
  for (const auto* files : {&original.train_source, &original.train_target})
    for (const auto& file : *files) expect_regular_file(file);
  if (dump_config) return write_configuration(options, texts);
  expect_folder_for_run(run_dir);
  if (std::filesystem::exists(run_dir / config_file) && !std::filesystem::exists(synthetic_dir()))
    throw DataError(concat(run_dir.string(), ": contains a run without the translations of '",
                           command, "'; choose another output folder"));
  const auto translating = translating_options();
  expect_text(texts);
  const auto training = request(options);
  expect_trainable(training);
  if (!original.train_source.empty())
    expect_parallel_text(original.train_source, original.train_target);
  SyntheticRequest text{
      .folder = synthetic_dir(), .texts = texts, .origin = origin_of(translating)};
  if (const auto utility = utility_named(interpolate))
    text.interpolation = {.references = original.train_target, .utility = *utility};
  if (translate(text, translating) == 0)
    throw DataError(command +
                    ": there is no translation to train on (look at some with "
                    "'dragoman translate'); give another text or model");
  const auto end = train(training);
  end_training(next_commands(options.data), end, options.train);
}

void SyntheticTraining::expect_regular_file(const std::string& text) const {
  if (text == "-")
    throw OptionsError(command +
                       ": the text is read more than once, which standard input cannot be; "
                       "write it to a file");
  expect_regular(text);
}

/// The options of the first model, for the search of all. \throws OptionsError
RunOptions SyntheticTraining::translating_options() const {
  auto options = with_one_best(runs.front().options, search, search_option);
  if (interpolate.empty()) return options;
  if (options.search.sample || options.search.greedy || options.search.beam_size < 2)
    throw OptionsError(
        "--interpolate: chooses among the hypotheses of a beam, and there is no more than one "
        "(search.sample, search.greedy or search.beam_size=1); give another --search");
  options.search.n_best = options.search.beam_size;
  return options;
}

nlohmann::json SyntheticTraining::origin_of(const RunOptions& options) const {
  auto checksums = nlohmann::json::array();
  for (const auto& run : runs)
    checksums.push_back(sha256_hex(read_file(run.checkpoint / manifest_file)));
  nlohmann::json search_settings = options.search;
  search_settings.erase("batch_tokens");  // translations do not depend on it
  nlohmann::json origin{
      {"models", checksums},  {"search", search_settings}, {"max_length", options.data.max_length},
      {"seed", options.seed}, {"from", languages.source},  {"to", languages.target}};
  if (!interpolate.empty()) origin["interpolate"] = interpolate;
  return origin;
}

/// Puts the translations into the run folder. \return how many there are
std::int64_t SyntheticTraining::translate(const SyntheticRequest& request,
                                          const RunOptions& options) {
  const auto& run = runs.front();
  for (const auto& text : request.texts)
    if (const auto line = LineReader(text, LineUse::training).next())
      TargetReminder(run.vocabulary.source, run.options.data, text).tell(line->number, line->text);
  const LineTranslator translator(
      inference_models(runs, options.search, device, "--translate-device"), run.vocabulary,
      options.search,
      {.workers = workers,
       .max_source_length = options.data.max_length,
       .seed = options.seed,
       .batch_tokens_given = set_option(search, "search.batch_tokens")});
  log_info(concat(command, ": ", translator.description()));
  const auto made = make_synthetic_text(request, translator);
  runs.clear();  // their files are closed, too
  return made.kept;
}

void add_synthetic_training_options(CLI::App& sub, SyntheticTraining& arguments,
                                    const std::string& whose) {
  add_models_option(sub, arguments.models, whose)->required();
  add_checkpoint_option(sub, arguments.checkpoint);
  sub.add_option(
         search_option, arguments.search,
         "Search settings of the translating models: KEY=VALUE, such as search.beam_size=8 or "
         "search.sample=true")
      ->allow_extra_args();
  add_language_options(sub, arguments.languages);
  sub.add_option(
         "--target-tag", arguments.target_tag,
         "Language of the synthetic text's target side, as in data.target_tag (default: that "
         "of the other texts, if they have one)")
      ->type_name("TAG");
  sub.add_option("--translate-device", arguments.device,
                 "Where the translating models compute: cpu, cuda or cuda:N")
      ->capture_default_str();
  sub.add_option("--translate-workers", arguments.workers,
                 "Threads that translate; 0 = one per core, on a GPU 2")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, most_threads));
  add_configuration_options(sub, arguments);
  add_start_options(sub, arguments);
  add_text_options(sub, arguments);
  add_limit_options(sub, arguments.flags);
}

}  // namespace dragoman::app
