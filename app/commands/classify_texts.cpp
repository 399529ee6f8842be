#include "commands/commands.h"
#include "commands/model_options.h"
#include "commands/text_files.h"

#include "dragoman/classifier/text_classifier.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/source_line.h"
#include "dragoman/translate/unknown_characters.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

namespace dragoman::app {

namespace {

/// A trained classifier and its input.
struct ClassifyTexts {
  std::filesystem::path model;
  std::string checkpoint, text, labels;

  static constexpr std::int64_t batch_lines = 1000;

  void predict() const {
    const auto classifier = TextClassifier::load(model, checkpoint);
    auto reader = open_input(text, LineUse::translation);
    std::vector<std::string> lines;
    std::int64_t truncated = 0, blank = 0, first_blank = 0;
    ChangedLines changed(reader.place());
    UnknownCharacters unknown(reader.place(), "; the label may have little to do with the line");
    while (auto line = reader.next()) {
      changed.tell(*line);
      if (line->text.empty() && blank++ == 0) first_blank = line->number;
      lines.push_back(std::move(line->text));
      if (std::ssize(lines) < batch_lines && !reader.would_wait()) continue;
      truncated += print(classifier, lines, unknown);
      lines.clear();
    }
    truncated += print(classifier, lines, unknown);
    unknown.finish();
    warn_of_truncated(truncated, classifier);
    changed.finish();
    if (blank > 0)
      log_warning(concat(reader.place(), ": ", counted(blank, "blank line"), " (first: line ",
                         first_blank, ") labelled like the others; disregard ",
                         blank == 1 ? "its label" : "their labels"));
  }

  /// \return how many lines were read in part only
  static std::int64_t print(const TextClassifier& classifier, const std::vector<std::string>& lines,
                            UnknownCharacters& unknown) {
    const auto& tokenizer = classifier.tokenizer();
    std::vector<std::vector<std::int32_t>> pieces;
    for (const auto& line : lines) {
      pieces.push_back(tokenizer.encode(line));
      unknown.tell(first_unknown(line, pieces.back(), tokenizer));
    }
    std::int64_t truncated = 0;
    for (const auto& found : classifier.classify(std::move(pieces))) {
      truncated += found.truncated ? 1 : 0;
      std::cout << classifier.labels()[found.label] << '\t'
                << decimal(found.probabilities[found.label], 6) << '\n';
    }
    std::cout.flush();
    return truncated;
  }

  static void warn_of_truncated(std::int64_t count, const TextClassifier& classifier) {
    warn_of_long_texts(count, "only their beginning was read",
                       longest_text(classifier.max_length()));
  }

  /// The accuracy, overall and for each label.
  void evaluate() const {
    expect_one_standard_input({{"--text", text}, {"--labels", labels}});
    const auto classifier = TextClassifier::load(model, checkpoint);
    const auto lines = read_parallel(std::vector{text}, std::vector{labels});
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (std::ranges::find(classifier.labels(), lines[i].target) == classifier.labels().end())
        throw DataError(concat(labels, ": line ", i + 1, ": the model has no label \"",
                               printable(lines[i].target),
                               "\"; remove such lines from both files"));
    std::vector<std::size_t> found;  // labels
    std::int64_t truncated = 0;
    std::vector<std::string> texts;
    for (const auto& line : lines) {
      texts.push_back(line.source);
      if (std::ssize(texts) < batch_lines && &line != &lines.back()) continue;
      for (const auto& result : classifier.classify(texts)) {
        found.push_back(result.label);
        truncated += result.truncated ? 1 : 0;
      }
      texts.clear();
    }
    warn_of_truncated(truncated, classifier);
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> right_of;  // label: right, all
    std::pair<std::int64_t, std::int64_t> all;
    for (std::size_t i = 0; i < lines.size(); ++i)
      for (auto* count : {&right_of[lines[i].target], &all}) {
        count->first += classifier.labels()[found[i]] == lines[i].target ? 1 : 0;
        ++count->second;
      }
    write_share("accuracy", all);
    for (const auto& [label, count] : right_of) write_share(label, count);
  }

  static void write_share(const std::string& name,
                          const std::pair<std::int64_t, std::int64_t>& count) {
    const double share = static_cast<double>(count.first) / static_cast<double>(count.second);
    std::cout << name << '\t' << share << '\t' << count.first << " of " << count.second << '\n';
  }
};

CLI::App* add_use(CLI::App& classify, const std::string& name, const std::string& help,
                  const std::shared_ptr<ClassifyTexts>& command) {
  auto* sub = classify.add_subcommand(name, help);
  add_model_option(*sub, command->model)->required();
  add_checkpoint_option(*sub, command->checkpoint);
  return sub;
}

}  // namespace

void add_classify_predict(CLI::App& classify) {
  auto command = std::make_shared<ClassifyTexts>();
  auto* sub = add_use(classify, "predict", "Print each text's label and its probability", command);
  sub->add_option("-i,--input", command->text,
                  "Texts, one per line; - = standard input, the default");
  sub->callback([command] { command->predict(); });
}

void add_classify_evaluate(CLI::App& classify) {
  auto command = std::make_shared<ClassifyTexts>();
  auto* sub =
      add_use(classify, "evaluate", "Print the accuracy, overall and for each label", command);
  sub->add_option("--text", command->text, "Texts, one per line; - = standard input")->required();
  sub->add_option("--labels", command->labels, "Their labels, line for line; - = standard input")
      ->required();
  sub->callback([command] { command->evaluate(); });
}

}  // namespace dragoman::app
