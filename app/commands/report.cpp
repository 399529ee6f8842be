#include "commands/commands.h"
#include "commands/device_option.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "commands/option_flags.h"
#include "commands/run_system.h"
#include "commands/scored_text.h"
#include "commands/search_arguments.h"
#include "commands/text_files.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/version.h"
#include "dragoman/run/run_files.h"
#include "dragoman/run_page/run_page.h"
#include "dragoman/run_page/text_section.h"
#include "dragoman/text/language_tags.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::app {

namespace {

/// The text that the runs are to translate.
struct ReportedText {
  std::string source, reference;
  std::string checkpoint, device = "cpu";
  std::vector<std::string> settings;  ///< of the search
  Languages languages;
  std::int64_t limit = 0, examples = 3;

  ReferencedText read() const {
    expect_one_standard_input({{"--source", source}, {"--reference", reference}});
    ScoredText lines{text_place(source), read_input(source, LineUse::training)};
    auto references = read_scored(reference);
    expect_parallel(lines, references);
    if (limit > 0)
      for (auto* text : {&lines, &references})
        text->lines.resize(std::min(text->lines.size(), static_cast<std::size_t>(limit)));
    return {.name = page_name(source),
            .reference_name = page_name(reference),
            .source = std::move(lines.lines),
            .reference = std::move(references.lines)};
  }

  static std::string page_name(const std::string& file) {
    return std::filesystem::path(text_place(file)).filename().string();
  }

  /// The runs as translators. Languages are told to those that have several; if none has, they are
  /// an error.
  std::vector<RunSystem> systems_of(const std::vector<std::filesystem::path>& run_dirs) const {
    std::vector<std::vector<RunFiles>> opened;
    for (const auto& run_dir : run_dirs) {
      auto& options =
          opened.emplace_back(open_runs(std::span(&run_dir, 1), checkpoint)).front().options;
      options = with_one_best(options, settings, "--set");
    }
    const bool any = std::ranges::any_of(
        opened, [](const auto& runs) { return has_languages(runs.front().vocabulary); });
    std::vector<RunSystem> systems;
    for (auto& runs : opened) {
      const bool told = !any || has_languages(runs.front().vocabulary);
      systems.push_back(run_system(std::move(runs), told ? languages : Languages{}, device));
      systems.back().batch_tokens_given = set_option(settings, "search.batch_tokens");
    }
    return systems;
  }

  static RunOnText of_run(RunSystem system, const std::string& name, const ReferencedText& text) {
    auto translations = translated(system, text.source, concat(text.name, ", ", name));
    std::vector<std::string> texts;
    for (const auto& translation : translations) texts.push_back(translation.text());
    std::vector<LinePair> pairs;
    for (std::size_t i = 0; i < text.source.size(); ++i)
      pairs.push_back({text.source[i], text.reference[i]});
    const auto likelihood = likelihood_of(system, pairs);
    if (!likelihood)
      throw DataError(
          concat(text.name, ": the model can read none of its pairs; give shorter ones"));
    return {.name = name,
            .files = std::move(system.runs.front()),
            .models = std::move(system.models),
            .translations = std::move(translations),
            .texts = std::move(texts),
            .likelihood = *likelihood};
  }
};

struct Report {
  std::vector<std::filesystem::path> runs;
  std::string output;
  ReportedText text;

  void run() const {
    for (const auto& read : {text.source, text.reference}) expect_other_file(output, read);
    expect_writable(output);
    if (runs.size() > 2)
      throw OptionsError(
          concat("--model: ", runs.size(), " runs, but a page shows two at most; give one or two"));
    const auto without = text.source.empty() ? WithoutRecords::refused : WithoutRecords::allowed;
    std::vector<RunHistory> histories;
    for (const auto& run_dir : runs) {
      histories.push_back(read_run_history(run_dir, without));
      expect_no_text_of(output, histories.back().options.data);
    }
    if (histories.size() == 2 && histories[0].name == histories[1].name)
      for (std::size_t i = 0; i < 2; ++i) histories[i].name = runs[i].string();
    write_output(output, run_page(histories, version, on_text(histories)));
    log_info(output == "-" ? "wrote the page to standard output" : "wrote " + output);
  }

  PagePart on_text(const std::vector<RunHistory>& histories) const {
    if (text.source.empty()) return {};
    for (const auto& history : histories)  // before the text is read
      with_one_best(history.options, text.settings, "--set");
    const auto pairs = text.read();
    auto systems = text.systems_of(runs);
    std::vector<RunOnText> of_runs;
    for (std::size_t i = 0; i < runs.size(); ++i)
      of_runs.push_back(ReportedText::of_run(std::move(systems[i]), histories[i].name, pairs));
    return {.style = text_section_style(),
            .html = text_section(pairs, of_runs, static_cast<std::size_t>(text.examples))};
  }
};

void add_text_options(CLI::App& sub, ReportedText& text) {
  auto* source =
      sub.add_option("--source", text.source,
                     "Text that the runs translate, for scores, breakdowns and examples; "
                     "plain or .gz, - = standard input");
  auto* reference =
      sub.add_option("--reference", text.reference,
                     "Its human translation, line for line; plain or .gz, - = standard input");
  source->needs(reference);
  reference->needs(source);
  add_checkpoint_option(sub, text.checkpoint, "Checkpoint that translates: ")->needs(source);
  sub.add_option("--limit", text.limit,
                 "Use at most this many lines from the start of the text; 0 = all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->needs(source);
  sub.add_option("--examples", text.examples,
                 "Translations to show with their pieces and attention, from the worst to the best")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->needs(source);
  add_set_option(sub, text.settings, "search.beam_size=8 for the translations")->needs(source);
  for (auto* option : add_language_options(sub, text.languages)) option->needs(source);
  add_device_option(sub, text.device)->needs(source);
}

}  // namespace

void add_report(CLI::App& app) {
  auto command = std::make_shared<Report>();
  auto* sub = app.add_subcommand(
      "report",
      "Write an HTML report on one training run, or on two side by side: curves, facts, "
      "translations, configuration and, optionally, how they translate a text");
  sub->add_option("-m,--model", command->runs,
                  "Run folder, as 'dragoman train' wrote it; a second -m compares")
      ->required()
      ->allow_extra_args(false);
  sub->add_option("-o,--output", command->output, "HTML file to write; - = standard output")
      ->required()
      ->check(written_as("html"));
  add_text_options(*sub, command->text);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
