#include "commands/commands.h"
#include "commands/next_commands.h"
#include "commands/text_train_arguments.h"

#include "dragoman/classifier/classifier_training.h"

#include <memory>

namespace dragoman::app {

namespace {

struct ClassifyTrain {
  TextTrainArguments arguments;
  std::vector<std::string> texts, labels;
  std::string valid_text, valid_labels;

  void run() const {
    std::vector<OptionFlag> flags;
    if (!texts.empty() && labels.empty() && !arguments.preset.empty() &&
        !set_option(arguments.overrides, "data.train_target"))
      throw OptionsError(
          "classify train: no labels; give --labels FILE, with the label of each line");
    if (!texts.empty()) flags.push_back({"--text", "data.train_source", texts});
    if (!labels.empty()) flags.push_back({"--labels", "data.train_target", labels});
    if (!valid_text.empty()) flags.push_back({"--valid-text", "data.valid_source", valid_text});
    if (!valid_labels.empty())
      flags.push_back({"--valid-labels", "data.valid_target", valid_labels});
    const auto request = arguments.request(
        {.name = "classify train",
         .absent = {"search.", "model.decoder_", "model.cross_", "model.start_vector",
                    "model.output_bias", "model.share_embeddings"}},
        flags);
    const auto end = train_classifier(request);
    end_training({.resume = arguments.resume("classify"),
                  .purpose = "classify",
                  .use = {"classify", "predict", "-m", arguments.run_dir.string()}},
                 end, request.options.train);
  }
};

void add_classify_train(CLI::App& classify) {
  auto command = std::make_shared<ClassifyTrain>();
  auto* sub = classify.add_subcommand("train", "Train a classifier on texts and their labels");
  add_text_train_arguments(*sub, command->arguments);
  sub->add_option("--text", command->texts,
                  "Training texts, one per line: files, plain or .gz (default: the run's)");
  sub->add_option("--labels", command->labels, "Their labels, line for line");
  sub->add_option("--valid-text", command->valid_text, "Validation texts");
  sub->add_option("--valid-labels", command->valid_labels, "Their labels");
  sub->callback([command] { command->run(); });
}

}  // namespace

void add_classify(CLI::App& app) {
  auto* classify = app.add_subcommand("classify", "Classify texts with an encoder alone");
  classify->require_subcommand(1);
  add_classify_train(*classify);
  add_classify_predict(*classify);
  add_classify_evaluate(*classify);
}

}  // namespace dragoman::app
