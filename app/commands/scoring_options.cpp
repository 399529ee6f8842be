#include "commands/scoring_options.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/metrics/significance.h"
#include "dragoman/metrics/tokenizers.h"

#include <algorithm>
#include <initializer_list>

namespace dragoman::app {

namespace {

void add_bleu_options(CLI::App& command, BleuOptions& bleu) {
  command
      .add_option_function<std::string>(
          "--tokenize",
          [&bleu](const std::string& name) { bleu.tokenizer = tokenizer_named(name); },
          "BLEU: 13a, intl, char, none (text is tokenized already) or zh (default: 13a)")
      ->check(CLI::IsMember(tokenizer_names()));
  command
      .add_option_function<std::string>(
          "--smooth", [&bleu](const std::string& name) { bleu.smoothing = smoothing_named(name); },
          "BLEU: exp, floor, add-k or none (default: exp)")
      ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}));
  command.add_option("--smooth-value", bleu.smooth_value,
                     "BLEU: smoothing value of floor or add-k (default: 0.1 and 1)");
  command.add_option("--max-ngram-order", bleu.max_order, "BLEU: longest n-gram, tokens")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command.add_flag("--effective-order", bleu.effective_order,
                   "BLEU: skip n-gram orders longer than the text");
}

void add_chrf_options(CLI::App& command, ChrfOptions& chrf) {
  command.add_option("--chrf-char-order", chrf.character_order, "chrF: longest n-gram, characters")
      ->capture_default_str();
  command.add_option("--chrf-word-order", chrf.word_order, "chrF: longest n-gram, words")
      ->capture_default_str();
  command.add_option("--chrf-beta", chrf.beta, "chrF: weight of recall against precision")
      ->capture_default_str();
  command.add_flag("--chrf-whitespace", chrf.white_space, "chrF: count white space as characters");
  command.add_flag("--chrf-eps-smoothing", chrf.epsilon, "chrF: epsilon smoothing over all orders");
}

void add_ter_options(CLI::App& command, TerOptions& ter) {
  command.add_flag("--ter-normalized", ter.normalized, "TER: separate punctuation from words");
  command.add_flag("--ter-no-punct", ter.no_punctuation, "TER: delete punctuation");
  command.add_flag("--ter-asian-support", ter.asian_support,
                   "TER: extend the two options above to Chinese and Japanese");
  command.add_flag("--ter-case-sensitive", ter.case_sensitive, "TER: keep case");
}

void add_resampling_options(CLI::App& command, ScoringOptions& scoring) {
  command.add_flag("--confidence", scoring.confidence,
                   "Add the mean and 95 % interval of bootstrap samples");
  command.add_option("--samples", scoring.resampling.samples, "Bootstrap samples")
      ->check(CLI::Range(std::int64_t{1}, most_samples))
      ->capture_default_str();
  command.add_option("--trials", scoring.resampling.trials, "Trials of approximate randomisation")
      ->check(CLI::Range(std::int64_t{1}, most_samples))
      ->capture_default_str();
  command.add_option("--seed", scoring.resampling.seed, "Seed of the samples")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--paired",
          [&scoring](const std::string& name) {
            scoring.paired = name == "bs" ? PairedTest::bootstrap : PairedTest::randomization;
          },
          "Test of the difference: bs (paired bootstrap) or ar (paired approximate randomisation) "
          "(default: bs)")
      ->check(CLI::IsMember({"bs", "ar"}));
}

}  // namespace

void add_scoring_options(CLI::App& command, ScoringOptions& scoring) {
  command
      .add_option("--metrics", scoring.metrics,
                  "bleu, chrf, chrf++, ter, separated by commas or blanks")
      ->check(CLI::IsMember({"bleu", "chrf", "chrf++", "ter"}))
      ->delimiter(',')
      ->capture_default_str();
  command.add_flag_callback(
      "--lowercase", [&scoring] { scoring.bleu.lowercase = scoring.chrf.lowercase = true; },
      "Ignore case in BLEU and chrF (TER ignores case anyway, unless --ter-case-sensitive is "
      "given)");
  add_bleu_options(command, scoring.bleu);
  add_chrf_options(command, scoring.chrf);
  add_ter_options(command, scoring.ter);
  add_resampling_options(command, scoring);
  command.add_flag(
      "--short", scoring.short_signatures,
      "Signatures with sacreBLEU's short names: #:1|c:mixed|e:no|tok:13a|s:exp|v:2.6.0");
}

void expect_effect(const CLI::App& command, const ScoringOptions& scoring) {
  const auto given = [&command](const char* option) {
    return command.get_option(option)->count() > 0;
  };
  const auto scores = [&scoring](const char* metric) {
    return std::ranges::find(scoring.metrics, metric) != scoring.metrics.end();
  };
  for (const auto& metric : scoring.metrics)
    if (std::ranges::count(scoring.metrics, metric) > 1)
      throw OptionsError(concat("--metrics: names ", metric, " twice; name it once"));
  const auto expect_metric = [&](bool scored, const char* metric,
                                 std::initializer_list<const char*> options) {
    for (const char* option : options)
      if (given(option) && !scored)
        throw OptionsError(
            concat(option, ": is of ", metric, ", which --metrics does not ask for; leave it out"));
  };
  expect_metric(
      scores("bleu"), "BLEU",
      {"--tokenize", "--smooth", "--smooth-value", "--max-ngram-order", "--effective-order"});
  expect_metric(scores("bleu") || scores("chrf") || scores("chrf++"), "BLEU and chrF",
                {"--lowercase"});
  expect_metric(scores("chrf") || scores("chrf++"), "chrF",
                {"--chrf-char-order", "--chrf-beta", "--chrf-whitespace", "--chrf-eps-smoothing"});
  expect_metric(scores("chrf"), "chrF (chrf++ always has 2)", {"--chrf-word-order"});
  expect_metric(
      scores("ter"), "TER",
      {"--ter-normalized", "--ter-no-punct", "--ter-asian-support", "--ter-case-sensitive"});
  if (given("--ter-asian-support") && !scoring.ter.normalized && !scoring.ter.no_punctuation)
    throw OptionsError(
        "--ter-asian-support: is for --ter-normalized and --ter-no-punct; add one of them");
  const bool compares = given("--against");
  const bool randomizes = compares && scoring.paired == PairedTest::randomization;
  if (given("--samples") && !scoring.confidence && (!compares || randomizes))
    throw OptionsError(
        compares ? "--samples: --paired ar draws no bootstrap samples; add --confidence, or use "
                   "--paired bs"
                 : "--samples: no bootstrap sample is drawn; add --confidence or --against");
  if (given("--trials") && !randomizes)
    throw OptionsError("--trials: is for a test of two systems; add --against and --paired ar");
  if (given("--seed") && !scoring.confidence && !compares)
    throw OptionsError("--seed: is for the samples of --confidence and --against; add one of them");
  if (given("--digits") && given("--json") && !scoring.confidence && (!compares || randomizes))
    throw OptionsError("--digits: is for scores in text, and --json prints all; leave it out");
  const auto smoothing = scoring.bleu.smoothing;
  if (given("--smooth-value") && smoothing != BleuSmoothing::floor &&
      smoothing != BleuSmoothing::add_k)
    throw OptionsError("--smooth-value: is for --smooth floor and add-k; leave it out");
}

void add_output_options(CLI::App& command, ScoreOutput& output) {
  command.add_option("--digits,--width", output.digits, "Digits after the point of scores in text")
      ->check(CLI::Range(0, 17))
      ->capture_default_str();
  command.add_flag("--json", output.json, "Print one JSON object, metric to score and signature");
  auto* sentences = command.add_flag(
      "--sentence-level", output.sentence_level,
      "Print one line per sentence: the scores, in the order of --metrics, separated by tabs (one "
      "JSON object with --json); BLEU with --effective-order");
  for (const auto* option : {"--against", "--confidence"})
    sentences->excludes(command.get_option(option));
}

}  // namespace dragoman::app
