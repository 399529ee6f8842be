#include "commands/explain.h"

#include "commands/commands.h"
#include "commands/language_options.h"
#include "commands/model_options.h"
#include "dragoman/analysis/worked_example.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

using ExplainJson = nlohmann::ordered_json;

void list_examples(const std::vector<const CLI::Option*>& of_output) {
  for (const auto* option : of_output)
    if (option->count() > 0)
      throw OptionsError(option->get_name() + ": is for an example or a sentence; name one");
  constexpr std::size_t example_width = 18;
  for (const auto& example : worked_examples())
    std::cout << pad_right(example.name, example_width) << example.title << '\n';
}

void explain_example(const WorkedExample& example, const ExplainOutput& output) {
  if (output.json) {
    const ExplainJson object = {{"name", example.name},
                                {"title", example.title},
                                {"document", example.document},
                                {"steps", steps_json(example.steps)},
                                {"remark", example.remark}};
    std::cout << object.dump() << '\n';
    return;
  }
  std::cout << example.title << "\nfrom " << example.document << "\n\n";
  print_steps(example.steps, output.format);
  if (!example.remark.empty()) std::cout << example.remark << '\n';
}

struct Explain {
  ExplainedSentence sentence;
  ExplainOutput output;
  std::vector<const CLI::Option*> of_output = {};  ///< the options of `output`

  void run() const {
    if (!sentence.model.empty())
      explain_sentence(sentence, output);
    else if (!sentence.text.empty())
      explain_example(worked_example(sentence.text), output);
    else
      list_examples(of_output);
  }
};

void add_sentence_options(CLI::App& sub, ExplainedSentence& sentence) {
  auto* model = add_model_option(sub, sentence.model);
  add_checkpoint_option(sub, sentence.checkpoint)->needs(model);
  sub.add_option("--target", sentence.target, "Target sentence (default: the model's translation)")
      ->type_name("SENTENCE")
      ->needs(model);
  sub.add_option("--kind", sentence.kind, "encoder, decoder or cross")
      ->check(CLI::IsMember({"encoder", "decoder", "cross"}))
      ->capture_default_str()
      ->needs(model);
  sub.add_option("--layer", sentence.layer, "Layer, from 1")->capture_default_str()->needs(model);
  sub.add_option("--head", sentence.head, "Head, from 1")->capture_default_str()->needs(model);
  for (auto* option : add_language_options(sub, sentence.languages)) option->needs(model);
}

}  // namespace

void print_steps(const std::vector<Step>& steps, const StepFormat& format) {
  for (const auto& step : steps) std::cout << step_text(step, format) << '\n';
}

nlohmann::ordered_json steps_json(const std::vector<Step>& steps) {
  auto all = ExplainJson::array();
  for (const auto& step : steps) all.push_back(step_json(step));
  return all;
}

void add_explain(CLI::App& app) {
  auto command = std::make_shared<Explain>();
  auto* sub = app.add_subcommand(
      "explain",
      "Walk through attention step by step with all numbers: worked examples from tutorials, or "
      "your own sentence; without arguments, list the examples");
  sub->add_option("example", command->sentence.text, "Name of an example; with -m a sentence");
  add_sentence_options(*sub, command->sentence);
  auto* digits =
      sub->add_option("--digits", command->output.format.digits, "Digits after the point")
          ->capture_default_str()
          ->check(CLI::Range(0, 17));
  auto* columns =
      sub->add_option("--columns", command->output.format.columns, "Columns shown of a wide matrix")
          ->capture_default_str()
          ->check(CLI::PositiveNumber);
  auto* json =
      sub->add_flag("--json", command->output.json, "Print one JSON object with all numbers")
          ->excludes(digits)
          ->excludes(columns);
  command->of_output = {digits, columns, json};
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
