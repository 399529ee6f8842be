#include "commands/analyze.h"

#include "dragoman/analysis/contrast.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

using SentencesJson = nlohmann::ordered_json;

std::string preference(const ContrastResult& result) {
  const double gain = result.right_log_prob - result.wrong_log_prob;
  if (gain == 0.0) return "the model prefers neither";
  return concat("the model prefers the ", gain > 0.0 ? "right" : "wrong", " one by ",
                decimal(std::abs(gain), 3), " nats");
}

void print_contrast(const Contrast& contrast, const ContrastResult& result) {
  std::cout << contrast.source << "\n  translated   " << result.translation << "\n  right  "
            << decimal(result.right_log_prob, 3) << "  " << contrast.right << "\n  wrong  "
            << decimal(result.wrong_log_prob, 3) << "  " << contrast.wrong << "\n  "
            << preference(result) << '\n';
  if (result.layers.empty()) return;
  std::vector<std::vector<std::string>> rows = {{"  \"" + contrast.word + "\" attends to"}};
  for (const auto& candidate : contrast.candidates) {
    rows[0].push_back(candidate);
    rows[0].push_back("best head");
  }
  for (std::size_t layer = 0; layer < result.layers.size(); ++layer) {
    auto& row = rows.emplace_back(1, "  encoder layer " + std::to_string(layer + 1));
    for (std::size_t c = 0; c < contrast.candidates.size(); ++c) {
      const bool has_heads = !result.layers[layer].mean.empty();
      row.push_back(has_heads ? decimal(result.layers[layer].mean[c], 3) : "pruned");
      row.push_back(has_heads ? decimal(result.layers[layer].most[c], 3) : "");
    }
  }
  std::cout << text_table(rows);
}

SentencesJson contrast_json(const Contrast& contrast, const ContrastResult& result) {
  auto layers = SentencesJson::array();
  for (const auto& layer : result.layers)
    layers.push_back({{"mean", layer.mean}, {"most", layer.most}});
  return {{"source", contrast.source},
          {"translation", result.translation},
          {"right", contrast.right},
          {"wrong", contrast.wrong},
          {"right_log_prob", result.right_log_prob},
          {"wrong_log_prob", result.wrong_log_prob},
          {"word", contrast.word},
          {"candidates", contrast.candidates},
          {"layers", layers}};
}

struct AnalyzeSentences {
  AnalyzedRun run;
  std::filesystem::path file;
  bool json = false;

  void execute() const {
    const auto contrasts = file.empty() ? worked_contrasts() : read_contrasts(file);
    const auto results = test_contrasts(run.load(), contrasts);
    std::int64_t right = 0;
    for (std::size_t i = 0; i < contrasts.size(); ++i) {
      right += results[i].prefers_right() ? 1 : 0;
      if (json)
        std::cout << contrast_json(contrasts[i], results[i]).dump() << '\n';
      else
        print_contrast(contrasts[i], results[i]);
      if (!json) std::cout << '\n';
    }
    if (!json) std::cout << right << " of " << contrasts.size() << " right\n";
  }
};

}  // namespace

void add_analyze_sentences(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzeSentences>();
  auto* sub =
      analyze.add_subcommand("sentences",
                             "Score minimal pairs of agreement and reference, and show what "
                             "a pronoun attends to; by default the "
                             "tutorials' sentences, English to German");
  command->run.add_options(*sub);
  sub->add_option("--contrasts", command->file,
                  "Your own pairs: lines of SOURCE, RIGHT, WRONG, WORD and CANDIDATES "
                  "(blanks between), separated by tabs; - = standard input");
  sub->add_flag("--json", command->json, "One JSON object per line");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app
