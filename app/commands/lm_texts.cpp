#include "commands/commands.h"
#include "commands/model_options.h"
#include "commands/text_files.h"

#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/language_model/text_generation.h"
#include "dragoman/language_model/text_scoring.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/source_line.h"
#include "dragoman/translate/unknown_characters.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

namespace dragoman::app {

namespace {

/// A trained language model and its input.
struct LmTexts {
  std::filesystem::path model;
  std::string checkpoint, input;

  std::string place() const { return text_place(input); }

  /// Reads the input in blocks of at most `size` lines, fewer where it pauses. Warns of characters
  /// that the model lacks, and of changed lines.
  /// \param use whether bytes that are no text are replaced (translation) or refused (training)
  /// \param visit called with the lines of a block and the number of lines before it
  template <typename Visit>
  void each_block(LineUse use, const Tokenizer& tokenizer, std::size_t size,
                  const Visit& visit) const {
    auto reader = open_input(input, use);
    UnknownCharacters unknown(reader.place(), "");
    ChangedLines changed(reader.place());
    std::vector<std::string> block;
    std::size_t before = 0;
    const auto finish_block = [&] {
      if (!block.empty()) visit(std::as_const(block), before);
      before += block.size();
      block.clear();
      std::cout.flush();
    };
    while (auto line = reader.next()) {
      changed.tell(*line);
      unknown.tell(first_unknown(line->text, tokenizer.encode(line->text), tokenizer));
      block.push_back(std::move(line->text));
      if (block.size() == size || reader.would_wait()) finish_block();
    }
    finish_block();
    unknown.finish();
    changed.finish();
  }
};

struct LmGenerate : LmTexts {
  SearchOptions search;
  std::int64_t seed = 1;

  void run() const {
    const auto loaded = load_language_model(model, checkpoint);
    auto options = search;
    options.greedy = !options.sample;
    options.validate();  // before the text is read
    constexpr std::size_t prompts_at_once = 64;
    const auto generate = [&](const std::vector<std::string>& prompts, std::size_t before) {
      for (const auto& texts : generate_texts(loaded, prompts, options, seed, place(), before))
        for (const auto& text : texts) std::cout << text.text << '\n';
    };
    each_block(LineUse::translation, loaded.tokenizer, prompts_at_once, generate);
  }
};

struct LmScore : LmTexts {
  bool total = false;

  void run() const {
    const auto loaded = load_language_model(model, checkpoint);
    constexpr std::size_t texts_at_once = 2000;
    std::vector<TextScore> scores;
    const auto score_some = [&](const std::vector<std::string>& texts, std::size_t) {
      for (const auto& score :
           score_texts(loaded, texts, {.blank = total ? BlankText::nothing : BlankText::eos})) {
        scores.push_back(score);
        if (!total) std::cout << decimal(score.log_prob, 6) << '\n';
      }
    };
    each_block(LineUse::training, loaded.tokenizer, texts_at_once, score_some);
    warn_of_long_texts(std::ranges::count_if(scores, &TextScore::divided),
                       "divided into parts that are scored independently",
                       loaded.options.data.max_length);
    if (!total) return;
    TextScore all;
    for (const auto& score : scores) {
      all.tokens += score.tokens;
      all.predicted += score.predicted;
    }
    if (all.tokens == 0) throw DataError("lm score: there is no text; give lines with words");
    const auto share = static_cast<double>(all.predicted) / static_cast<double>(all.tokens);
    std::cout << "perplexity " << perplexity_of(scores) << "  accuracy "
              << decimal(100.0 * share, 1) << " %  tokens " << all.tokens << '\n';
  }
};

void add_texts(CLI::App& sub, LmTexts& texts, const std::string& input_help) {
  add_model_option(sub, texts.model)->required();
  add_checkpoint_option(sub, texts.checkpoint);
  sub.add_option("-i,--input", texts.input, input_help + "; - = standard input, the default");
}

}  // namespace

void add_lm_generate(CLI::App& lm) {
  auto command = std::make_shared<LmGenerate>();
  auto& search = command->search;
  auto* sub = lm.add_subcommand("generate",
                                "Continue each line with the most probable pieces, or by sampling");
  add_texts(*sub, *command, "Prompts to continue, one per line; an empty line is an empty prompt");
  sub->add_option("--max-length", search.max_length,
                  "Maximum length of a text in pieces (default: that of its prompt + 50)");
  auto* sample = sub->add_flag("--sample", search.sample, "Sample each piece");
  const auto of_sampling = [&](CLI::Option* option) {
    option->needs(sample)->capture_default_str();
  };
  of_sampling(sub->add_option("--n-best", search.n_best, "Texts drawn for each prompt"));
  of_sampling(sub->add_option("--temperature", search.temperature,
                              "Below 1 favours the most probable pieces"));
  of_sampling(sub->add_option("--top-k", search.top_k,
                              "Sample from this many most probable pieces; 0 = all"));
  of_sampling(
      sub->add_option("--top-p", search.top_p,
                      "Sample from the most probable pieces whose probabilities reach this sum"));
  of_sampling(sub->add_option("--seed", command->seed, "The same seed draws the same texts"));
  sub->add_option("--no-repeat-ngram", search.no_repeat_ngram,
                  "Forbid repeated n-grams of this many pieces; 0 = off")
      ->capture_default_str();
  sub->callback([command] { command->run(); });
}

void add_lm_score(CLI::App& lm) {
  auto command = std::make_shared<LmScore>();
  auto* sub = lm.add_subcommand("score", "Print each line's log-probability in nats");
  add_texts(*sub, *command, "Texts, one per line");
  sub->add_flag(
      "--total", command->total,
      "Print one line for the whole text instead: perplexity, accuracy, number of tokens");
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
