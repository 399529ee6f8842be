#include "commands/search_arguments.h"

#include "commands/option_flags.h"
#include "dragoman/config/option_names.h"
#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <utility>

namespace dragoman::app {

namespace {

constexpr std::int64_t usual_samples = 100;
constexpr std::int64_t most_samples = 1024;  // as search.n_best, which they set

/// What only --mbr has, or has not.
void expect_meaning_of_mbr(const SearchArguments& arguments) {
  if (arguments.samples && arguments.mbr.empty())
    throw OptionsError("--samples: is for minimum Bayes risk decoding; add --mbr");
  if (arguments.mbr.empty()) return;
  if (arguments.sample)
    throw OptionsError("--sample: --mbr draws samples by itself; leave --sample out");
  if (arguments.n_best)
    throw OptionsError("--n-best: --mbr chooses one translation of --samples; leave --n-best out");
  if (set_option(arguments.overrides, "search.n_best"))
    throw OptionsError("--set search.n_best: with --mbr, --samples sets it; give that instead");
}

/// What gives a value to `key`: "--seed", or "--set seed"; empty = nothing.
std::string option_setting(const SearchArguments& arguments, const std::string& key) {
  for (const auto& flag : arguments.flags())
    if (flag.key == key) return flag.flag;
  return set_option(arguments.overrides, key) ? "--set " + key : "";
}

/// What asks for sampling or greedy search in place of a beam, and how to get the beam.
std::string replacement_of_beam(const SearchArguments& arguments, const SearchOptions& search) {
  if (!arguments.mbr.empty()) return "--mbr replaces; leave one of them out";
  if (arguments.sample) return "--sample replaces; leave one of them out";
  const std::string key = search.sample ? "search.sample" : "search.greedy";
  if (set_option(arguments.overrides, key)) return key + " replaces; leave one of them out";
  return concat("the run's ", key, " replaces; add --set ", key, "=false");
}

/// Beam search, sampling and greedy search exclude each other: options of one are refused with the
/// others.
/// \param search that they ask for; a coverage penalty of 0 turns off that of the run
void expect_meaning(const SearchArguments& arguments, const SearchOptions& search) {
  const bool has_coverage = search.coverage_penalty > 0.0;
  for (const std::string key : {"search.beam_size", "search.length_penalty",
                                "search.coverage_penalty", "search.early_stopping"})
    if (const auto setter = option_setting(arguments, key);
        !setter.empty() && (search.sample || search.greedy) &&
        (key != "search.coverage_penalty" || has_coverage))
      throw OptionsError(
          concat(setter, ": is for beam search, which ", replacement_of_beam(arguments, search)));
  for (const std::string key : {"search.temperature", "search.top_k", "search.top_p", "seed"})
    if (const auto setter = option_setting(arguments, key); !setter.empty() && !search.sample)
      throw OptionsError(
          concat(setter, ": is for sampling, which was not asked for; add --sample or --mbr"));
}

void add_beam_arguments(CLI::App& command, SearchArguments& arguments) {
  command.add_option(
      "--beam-size", arguments.beam_size,
      "Beam size: hypotheses kept at each step (default: the run's, 4). 1 still compares "
      "translations that have ended with longer ones; greedy search (--set search.greedy=true) "
      "ends with the first");
  command.add_option("--length-penalty", arguments.length_penalty,
                     "alpha; larger prefers longer translations (default: the run's, 0.6)");
  command.add_option("--coverage-penalty", arguments.coverage_penalty,
                     "beta; larger prefers translations that attend to all of the source, 0.2 is "
                     "usual (default: the run's, 0 = off)");
  command.add_option(
      "--n-best", arguments.n_best,
      "Print this many alternatives, or samples, as \"LINE ||| TEXT ||| SCORE\" "
      "(default: the run's, 1, the text alone). Alternatives differ in their texts; there are "
      "fewer if the beam found no more, and at most --beam-size. Samples are "
      "independent and may be equal");
  command.add_option("--no-repeat-ngram", arguments.no_repeat_ngram,
                     "Forbid repeated n-grams of this many pieces (default: the run's, 0 = off)");
  command
      .add_option(
          "--early-stopping", arguments.early_stopping,
          "End a beam search before its result is certain: beam, when as many hypotheses as "
          "the beam holds have ended; first, when n-best have and the best candidate is one "
          "of them; estimate, when beam-size have and the best live one would not be among "
          "them if it ended now; off (default: the run's, off)")
      ->check(CLI::IsMember(option_names("search.early_stopping")));
  command.add_option(
      "--max-length", arguments.max_length,
      "Maximum length of a translation in pieces, EOS included (default: the run's, 0 = the "
      "source's + search.max_length_offset, 50)");
  command.add_option(
      "--batch-tokens", arguments.batch_tokens,
      "Source pieces per batch, padding included; fewer with more than 4 samples or, on a "
      "CPU, a beam of more than 4 (default: the run's, 512; on a GPU 8192 instead of 512)");
  command
      .add_option(
          "--precision", arguments.precision,
          "Number type of the weights: float32, bf16, int8 (on a CPU), or auto: on a CPU int8 "
          "where it is known to be faster, else float32; on a GPU bf16 for a d_model of at least "
          "1024 (default: the run's, float32)")
      ->check(CLI::IsMember(option_names("search.precision")));
}

void add_sampling_arguments(CLI::App& command, SearchArguments& arguments) {
  command.add_flag("--sample", arguments.sample,
                   "Draw each piece at random instead of searching for the best; --n-best draws "
                   "several independent translations");
  command
      .add_option("--mbr", arguments.mbr,
                  "Minimum Bayes risk decoding: draw --samples translations, and choose the one "
                  "that agrees best with all of them, as measured by chrf (chrF2) or bleu "
                  "(sentence BLEU)")
      ->check(CLI::IsMember({"chrf", "bleu"}));
  command
      .add_option("--samples", arguments.samples,
                  concat("With --mbr: translations drawn for each line (default: ", usual_samples,
                         "); the time grows with them"))
      ->check(CLI::Range(std::int64_t{2}, most_samples));
  command.add_option(
      "--temperature", arguments.temperature,
      "With --sample or --mbr: below 1 keeps closer to the most probable pieces (default: the "
      "run's, 1)");
  command.add_option("--top-k", arguments.top_k,
                     "With --sample or --mbr: draw from this many most probable pieces (default: "
                     "the run's, 0 = all)");
  command.add_option(
      "--top-p", arguments.top_p,
      "With --sample or --mbr: draw from the most probable pieces whose probabilities reach this "
      "sum "
      "(default: the run's, 1 = all)");
  command.add_option(
      "--seed", arguments.seed,
      "With --sample or --mbr: the same seed draws the same translations (default: the "
      "run's)");
}

}  // namespace

RunOptions with_search_settings(const RunOptions& trained, const std::vector<std::string>& settings,
                                const std::string& option) {
  expect_search_settings(settings, option, false);
  auto own = trained;
  own.search = without_other_search(trained.search, read_overrides(settings, {}, option).values);
  auto options = with_overrides(own, settings, {}, option);
  if (set_option(settings, "seed", option) && !options.search.sample)
    throw OptionsError(option +
                       " seed: is for sampling, which was not asked for; add "
                       "search.sample=true, or leave it out");
  return options;
}

RunOptions with_one_best(RunOptions trained, const std::vector<std::string>& settings,
                         const std::string& option) {
  expect_one_best(settings, option);
  trained.search.n_best = 1;
  return with_search_settings(trained, settings, option);
}

void expect_one_best(const std::vector<std::string>& settings, const std::string& option) {
  if (set_option(settings, "search.n_best", option))
    throw OptionsError(concat(option, " search.n_best: has no effect here, where only the best ",
                              "translation is used; leave it out"));
}

std::vector<OptionFlag> SearchArguments::flags() const {
  std::vector<OptionFlag> given;
  const auto add = [&given](const char* flag, const char* key, const auto& value) {
    if (value) given.push_back({flag, key, *value});
  };
  add("--seed", "seed", seed);
  add("--beam-size", "search.beam_size", beam_size);
  add("--n-best", "search.n_best", n_best);
  add("--max-length", "search.max_length", max_length);
  add("--batch-tokens", "search.batch_tokens", batch_tokens);
  add("--no-repeat-ngram", "search.no_repeat_ngram", no_repeat_ngram);
  add("--length-penalty", "search.length_penalty", length_penalty);
  add("--coverage-penalty", "search.coverage_penalty", coverage_penalty);
  add("--temperature", "search.temperature", temperature);
  add("--top-k", "search.top_k", top_k);
  add("--top-p", "search.top_p", top_p);
  if (!early_stopping.empty())
    given.push_back({"--early-stopping", "search.early_stopping", early_stopping});
  if (copy_unknown) given.push_back({"--copy-unknown", "search.unknown", "copy"});
  if (!precision.empty()) given.push_back({"--precision", "search.precision", precision});
  if (sample) given.push_back({"--sample", "search.sample", true});
  if (!mbr.empty()) {
    given.push_back({"--mbr", "search.sample", true});
    given.push_back({"--samples", "search.n_best", samples.value_or(usual_samples)});
  }
  if (no_cache) given.push_back({"--no-cache", "search.cache", false});
  return given;
}

RunOptions SearchArguments::applied_to(const RunOptions& trained) const {
  expect_meaning_of_mbr(*this);
  expect_search_settings(overrides, "--set", true);
  const auto given = read_overrides(overrides, flags()).values;
  auto own = trained;
  own.search = without_other_search(trained.search, given);
  if (sample || !mbr.empty()) {  // names the flag rather than its key
    auto asked = own.search;
    asked.sample = true;
    const auto penalty = option_pointer("search.coverage_penalty");
    asked.coverage_penalty = given.contains(penalty) && given.at(penalty) != 0 ? 1.0 : 0.0;
    expect_meaning(*this, asked);
  }
  const auto options = with_overrides(own, overrides, flags());
  expect_meaning(*this, options.search);
  return options;
}

std::optional<Utility> SearchArguments::consensus() const { return utility_named(mbr); }

std::vector<std::string> SearchArguments::model_overrides() const {
  std::vector<std::string> found;
  for (const auto& text : overrides)
    if (text.starts_with("model.") || text.starts_with("model=")) found.push_back(text);
  return found;
}

bool SearchArguments::give_batch_tokens() const {
  return batch_tokens.has_value() || set_option(overrides, "search.batch_tokens");
}

void add_search_arguments(CLI::App& command, SearchArguments& arguments) {
  add_beam_arguments(command, arguments);
  add_sampling_arguments(command, arguments);
  command.add_flag("--copy-unknown", arguments.copy_unknown,
                   "Let the model generate the unknown piece, and replace it with the source piece "
                   "that it attends to most (default: it is never generated)");
  command.add_flag("--no-cache", arguments.no_cache,
                   "Recompute the whole prefix at each step (slow)");
  add_set_option(command, arguments.overrides,
                 "search.length_penalty_kind=power, or attention that computes the same, "
                 "model.encoder_attention.kind=tiled");
}

}  // namespace dragoman::app
