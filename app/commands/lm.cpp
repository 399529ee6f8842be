#include "commands/commands.h"
#include "commands/next_commands.h"
#include "commands/text_train_arguments.h"

#include "dragoman/language_model/language_training.h"

#include <memory>

namespace dragoman::app {

namespace {

struct LmTrain {
  TextTrainArguments arguments;
  std::vector<std::string> texts;
  std::string valid_text;

  void run() const {
    std::vector<OptionFlag> flags;
    if (!texts.empty())
      flags = {{"--text", "data.train_source", texts}, {"--text", "data.train_target", texts}};
    if (!valid_text.empty())
      flags.insert(flags.end(), {{"--valid-text", "data.valid_source", valid_text},
                                 {"--valid-text", "data.valid_target", valid_text}});
    const auto request = arguments.request(
        {.name = "lm train",
         .absent = {"search.", "model.encoder_", "model.cross_", "model.pooling"}},
        flags);
    const auto end = train_language_model(request);
    end_training({.resume = arguments.resume("lm"),
                  .purpose = "generate text",
                  .use = {"lm", "generate", "-m", arguments.run_dir.string()}},
                 end, request.options.train);
  }
};

void add_lm_train(CLI::App& lm) {
  auto command = std::make_shared<LmTrain>();
  auto* sub = lm.add_subcommand("train", "Train a language model on texts, one per line");
  add_text_train_arguments(*sub, command->arguments);
  sub->add_option("--text", command->texts,
                  "Training text: files, plain or .gz (default: the run's)");
  sub->add_option("--valid-text", command->valid_text, "Validation text");
  sub->callback([command] { command->run(); });
}

}  // namespace

void add_lm(CLI::App& app) {
  auto* lm = app.add_subcommand("lm", "Language modelling: predict text with a decoder alone");
  lm->require_subcommand(1);
  add_lm_train(*lm);
  add_lm_generate(*lm);
  add_lm_score(*lm);
}

}  // namespace dragoman::app
