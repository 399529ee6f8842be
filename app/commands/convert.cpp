#include "commands/commands.h"

#include "dragoman/convert/ctranslate2.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace dragoman::app {

namespace {

struct Convert {
  std::filesystem::path input;
  std::filesystem::path output;
  std::string from, to, checkpoint;
  std::string source_tokenizer, target_tokenizer;
  CTranslate2Weights weights = CTranslate2Weights::float32;

  std::optional<Vocabulary> tokenizers() const {
    if (source_tokenizer.empty()) return std::nullopt;
    const auto source = Tokenizer::load(source_tokenizer);
    if (target_tokenizer.empty()) return Vocabulary{.source = source, .target = source, .joint = true};
    return Vocabulary{.source = source, .target = Tokenizer::load(target_tokenizer), .joint = false};
  }

  void run() const {
    if (!to.empty()) {
      export_ctranslate2(load_run(input, checkpoint), output, weights);
      std::cout << output.string() << '\n';
    } else {
      std::cout << import_ctranslate2(input, tokenizers(), output).path.string() << '\n';
    }
  }
};

}  // namespace

void add_convert(CLI::App& app) {
  auto command = std::make_shared<Convert>();
  auto* sub = app.add_subcommand(
      "convert", "Write a model as another program reads it, or read such a model; prints what it made. "
                 "Exit codes: 0 done, 1 a file, 2 the command line");
  sub->add_option("input", command->input, "Run folder or checkpoint (--to), or the other program's folder (--from)")
      ->required();
  sub->add_option("-o,--output", command->output, "Folder to make; must be new or empty")->required();
  auto* direction = sub->add_option_group("direction");
  auto* to = direction->add_option("--to", command->to, "Format to write: ctranslate2")
                 ->check(CLI::IsMember({"ctranslate2"}));
  auto* from = direction->add_option("--from", command->from, "Format to read: ctranslate2")
                   ->check(CLI::IsMember({"ctranslate2"}));
  direction->require_option(1);
  sub->add_option("--checkpoint", command->checkpoint,
                  "latest, best-METRIC or step-N (default: the run's best, else the latest)")
      ->needs(to);
  const std::map<std::string, CTranslate2Weights> weights = {{"float32", CTranslate2Weights::float32},
                                                             {"int8", CTranslate2Weights::int8}};
  sub->add_option("--quantize", command->weights, "Numbers of the weights: float32 or int8")
      ->needs(to)
      ->transform(CLI::CheckedTransformer(weights))
      ->default_str("float32");
  auto* tokenizer = sub->add_option("--tokenizer", command->source_tokenizer,
                                    "SentencePiece model of both sides, or of the source "
                                    "(default: tokenizer.model in the folder read)")
                        ->needs(from);
  sub->add_option("--target-tokenizer", command->target_tokenizer, "SentencePiece model of the target, if another one")
      ->needs(tokenizer);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
