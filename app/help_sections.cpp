#include "help_sections.h"

#include <algorithm>

namespace dragoman::app {

namespace {

using Words = std::vector<std::string>;

struct Section {
  std::string title;
  Words commands;  ///< that have it; empty = all
  Words options;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"Input and output",
       {},
       {"input",        "output",       "hypothesis",   "reference",     "against",
        "source",       "target",       "text",         "labels",        "target-file",
        "train-source", "train-target", "valid-source", "valid-target",  "valid-text",
        "valid-labels", "test-source",  "test-target",  "target-prefix", "inline-prefix",
        "gold",         "word-pairs",   "contrasts",    "definitions",   "data-cache",
        "limit",        "side",         "ids",          "pieces",        "per-token",
        "total",        "scores",       "alignment",    "format",        "json",
        "plot",         "report",       "note",         "digits",        "columns",
        "shortlist",    "examples"}},
      {"Model", {}, {"model",       "checkpoint",
                     "checkpoints", "last",
                     "preset",      "config",
                     "start-from",  "init-from",
                     "tokenizer",   "target-tokenizer",
                     "from",        "to",
                     "quantize",    "any-attention",
                     "compare",     "compare-checkpoint",
                     "kind",        "layer",
                     "head",        "set",
                     "defaults",    "options"}},
      {"Training",
       {"train", "distill", "back-translate"},
       {"max-steps", "max-time", "learning-rate", "batch-tokens", "seed"}},
      {"Without training", {"train", "distill", "back-translate"}, {"check", "dump-config"}},
      {"Search",
       {"translate", "generate"},
       {"beam-size", "length-penalty", "coverage-penalty", "early-stopping", "n-best",
        "no-repeat-ngram", "copy-unknown", "max-length", "no-cache"}},
      {"Sampling",
       {"translate", "generate"},
       {"sample", "mbr", "samples", "temperature", "top-k", "top-p", "seed"}},
      {"Reranking", {"translate"}, {"rerank-reverse", "reverse-weight", "rerank-lm", "lm-weight"}},
      {"Metrics", {"evaluate"}, {"metrics", "lowercase"}},
      {"BLEU",
       {"evaluate"},
       {"tokenize", "smooth", "smooth-value", "max-ngram-order", "effective-order"}},
      {"chrF",
       {"evaluate"},
       {"chrf-char-order", "chrf-word-order", "chrf-beta", "chrf-whitespace",
        "chrf-eps-smoothing"}},
      {"TER",
       {"evaluate"},
       {"ter-normalized", "ter-no-punct", "ter-asian-support", "ter-case-sensitive"}},
      {"Significance", {"evaluate"}, {"confidence", "paired", "samples", "trials", "seed"}},
      {"Options", {}, {}},
      {"Speed and devices",
       {},
       {"device", "workers", "threads", "batch-tokens", "batch-lines", "precision", "distributed",
        "distributed-timeout"}},
      {"Other", {}, {"verbose", "log", "log-time", "quiet", "help", "version"}},
  };
  return all;
}

bool holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr const char* others = "Options";

}  // namespace

const std::vector<std::string>& option_sections() {
  static const Words titles = [] {
    Words found;
    for (const auto& section : sections()) found.push_back(section.title);
    return found;
  }();
  return titles;
}

std::string section_of(const CLI::Option& option, const std::string& command) {
  for (const auto& section : sections()) {
    if (!section.commands.empty() && !holds(section.commands, command)) continue;
    for (const auto& name : option.get_lnames())
      if (holds(section.options, name)) return section.title;
  }
  return others;
}

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups = {
      {"Everyday",
       {"train", "translate", "evaluate", "score", "tokenize", "shortlist", "average", "info",
        "convert"}},
      {"Better models", {"distill", "back-translate"}},
      {"Look into a model", {"report", "analyze", "explain", "prune"}},
      {"Research", {"bench", "experiment", "classify", "lm"}},
      {"Shell", {"completion", "help"}},
  };
  return groups;
}

}  // namespace dragoman::app
