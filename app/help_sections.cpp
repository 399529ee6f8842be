#include "help_sections.h"

#include <map>

namespace dragoman::app {

namespace {

using Words = std::vector<std::string>;

const std::vector<std::pair<std::string, Words>>& sections() {
  static const std::vector<std::pair<std::string, Words>> all = {
      {"Input and output",
       {"input", "output", "hypothesis", "reference", "against", "source", "target", "text",
        "labels", "target-file", "train-source", "train-target", "valid-source", "valid-target",
        "valid-text", "valid-labels", "test-source", "test-target", "target-prefix",
        "inline-prefix", "gold", "word-pairs", "contrasts", "definitions", "data-cache", "limit",
        "side", "ids", "pieces", "per-token", "total", "scores", "alignment", "format", "json",
        "plot", "report", "note", "digits", "columns", "dump-config"}},
      {"Model",
       {"model", "checkpoint", "checkpoints", "last", "preset", "config", "start-from",
        "init-from", "tokenizer", "target-tokenizer", "from", "to", "quantize", "any-attention",
        "kind", "layer", "head", "set", "defaults", "options"}},
      {"Training",
       {"max-steps", "max-time", "learning-rate", "batch-tokens", "seed", "check"}},
      {"Search",
       {"beam-size", "length-penalty", "coverage-penalty", "n-best", "no-repeat-ngram",
        "max-length", "no-cache"}},
      {"Sampling", {"sample", "temperature", "top-k", "top-p"}},
      {"Metrics", {"metrics", "lowercase"}},
      {"BLEU", {"tokenize", "smooth", "smooth-value", "max-ngram-order", "effective-order"}},
      {"chrF",
       {"chrf-char-order", "chrf-word-order", "chrf-beta", "chrf-whitespace",
        "chrf-eps-smoothing"}},
      {"TER", {"ter-normalized", "ter-no-punct", "ter-asian-support", "ter-case-sensitive"}},
      {"Significance", {"confidence", "paired", "samples", "trials"}},
      {"Speed and devices",
       {"device", "workers", "threads", "batch-lines", "precision", "distributed",
        "distributed-timeout"}},
      {"Options", {}},
      {"Other", {"log", "log-time", "quiet", "verbose", "version", "help"}},
  };
  return all;
}

constexpr const char* others = "Options";

}  // namespace

const std::vector<std::string>& option_sections() {
  static const Words titles = [] {
    Words found;
    for (const auto& section : sections()) found.push_back(section.first);
    return found;
  }();
  return titles;
}

std::string section_of(const CLI::Option& option) {
  static const std::map<std::string, std::string> titles = [] {
    std::map<std::string, std::string> found;
    for (const auto& [title, names] : sections())
      for (const auto& name : names) found.emplace(name, title);
    return found;
  }();
  for (const auto& name : option.get_lnames())
    if (const auto found = titles.find(name); found != titles.end()) return found->second;
  return others;
}

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups = {
      {"Everyday",
       {"train", "translate", "evaluate", "score", "tokenize", "average", "info", "convert"}},
      {"Look into a model", {"analyze", "explain", "prune"}},
      {"Research", {"bench", "experiment", "classify", "lm"}},
      {"Shell", {"completion", "help"}},
  };
  return groups;
}

}  // namespace dragoman::app
