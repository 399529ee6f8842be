#include "commands/commands.h"
#include "commands/text_files.h"

#include "dragoman/core/error.h"
#include "dragoman/monolingual/text_generation.h"
#include "dragoman/monolingual/text_scoring.h"
#include "dragoman/text/lines.h"

#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

/// A trained language model and what it is to read.
struct LmTexts {
  std::filesystem::path model;
  std::string checkpoint, input;

  std::vector<std::string> lines(LineUse use) const { return read_input(input, use); }
};

struct LmGenerate : LmTexts {
  SearchOptions search;
  std::int64_t seed = 1;

  void run() const {
    const auto loaded = load_language_model(model, checkpoint);
    auto options = search;
    options.greedy = !options.sample;
    for (const auto& texts : generate_texts(loaded, lines(LineUse::translation), options, seed))
      for (const auto& text : texts) std::cout << text.text << '\n';
  }
};

struct LmScore : LmTexts {
  bool total = false;

  void run() const {
    const auto scores = score_texts(load_language_model(model, checkpoint), lines(LineUse::scoring));
    if (!total) {
      for (const auto& score : scores) std::cout << score.log_prob << '\n';
      return;
    }
    TextScore all;
    for (const auto& score : scores) {
      all.tokens += score.tokens;
      all.foretold += score.foretold;
    }
    if (all.tokens == 0) throw DataError("lm score: there is no text; give lines with words");
    std::cout << "perplexity " << perplexity_of(scores) << "  accuracy "
              << static_cast<double>(all.foretold) / static_cast<double>(all.tokens) << "  tokens "
              << all.tokens << '\n';
  }
};

void add_texts(CLI::App& sub, LmTexts& texts, const std::string& input_help) {
  sub.add_option("-m,--model", texts.model, "Run folder, or one checkpoint of it")->required();
  sub.add_option("--checkpoint", texts.checkpoint,
                 "latest, best-METRIC or step-N (default: the run's best, else the latest)");
  sub.add_option("-i,--input", texts.input, input_help + "; - = standard input, the default");
}

}  // namespace

void add_lm_generate(CLI::App& lm) {
  auto command = std::make_shared<LmGenerate>();
  auto& search = command->search;
  auto* sub = lm.add_subcommand("generate", "Go on with each line, by the likeliest pieces or by drawing");
  add_texts(*sub, *command, "Beginnings, one a line; an empty line: none");
  sub->add_option("--max-length", search.max_length, "Pieces of a text at most (default: its beginning's + 50)");
  auto* sample = sub->add_flag("--sample", search.sample, "Draw each piece at random");
  const auto of_sampling = [&](CLI::Option* option) { option->needs(sample)->capture_default_str(); };
  of_sampling(sub->add_option("--n-best", search.n_best, "Texts drawn for each beginning"));
  of_sampling(sub->add_option("--temperature", search.temperature, "Below 1 keeps closer to the likeliest pieces"));
  of_sampling(sub->add_option("--top-k", search.top_k, "Draw from the likeliest so many; 0 = all"));
  of_sampling(sub->add_option("--top-p", search.top_p,
                              "Draw from the likeliest whose probabilities reach this sum"));
  of_sampling(sub->add_option("--seed", command->seed, "Equal seeds draw equal texts"));
  sub->add_option("--no-repeat-ngram", search.no_repeat_ngram,
                  "Let no so many pieces in a row come twice; 0 = off")
      ->capture_default_str();
  sub->callback([command] { command->run(); });
}

void add_lm_score(CLI::App& lm) {
  auto command = std::make_shared<LmScore>();
  auto* sub = lm.add_subcommand("score", "Print each line's log-probability in nats");
  add_texts(*sub, *command, "Texts, one a line");
  sub->add_flag("--total", command->total,
                "Instead one line for all: perplexity, share of pieces that were the model's first choice");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
