#include "commands/analyze.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/analysis/head_importance.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace dragoman::app {

namespace {

using ImportanceJson = nlohmann::ordered_json;

ImportanceReport importance_of(const LoadedRun& run, const std::vector<LinePair>& pairs,
                               Ablation ablation) {
  return head_importance(run.model, encode_pairs(run.vocabulary, pairs),
                         run.vocabulary.source.special(), run.vocabulary.target.special(),
                         ablation);
}

ImportanceJson importance_json(const ImportanceReport& report, std::size_t sentences) {
  auto heads = ImportanceJson::array();
  for (const auto& head : pruning_order(report)) {
    heads.push_back({{"kind", name_of(head.kind)},
                     {"layer", head.layer + 1},
                     {"head", head.head + 1},
                     {"importance", head.importance},
                     {"normalised", head.normalised}});
    if (head.nll_without) heads.back()["nll_without"] = *head.nll_without;
  }
  return {{"sentences", sentences}, {"nll", report.nll}, {"pruning_order", heads}};
}

std::string importance_table(const ImportanceReport& report) {
  std::vector<std::vector<std::string>> rows = {{"head", "importance", "normalised"}};
  for (const auto& head : pruning_order(report)) {
    rows.push_back({name_of(head), decimal(head.importance, 4), decimal(head.normalised, 4)});
    if (head.nll_without) rows.back().push_back(decimal(*head.nll_without - report.nll, 2));
  }
  if (rows.back().size() > rows.front().size()) rows.front().emplace_back("loss added");
  return text_table(rows);
}

}  // namespace

std::vector<HeadPlace> heads_by_importance(const LoadedRun& run,
                                           const std::vector<LinePair>& pairs) {
  const auto order = pruning_order(importance_of(run, pairs, Ablation::none));
  return {order.begin(), order.end()};
}

void print_importance(const LoadedRun& run, const std::vector<LinePair>& pairs,
                      const ImportanceOutput& output) {
  const auto report =
      importance_of(run, pairs, output.ablation ? Ablation::each_head : Ablation::none);
  if (output.json) {
    std::cout << importance_json(report, pairs.size()).dump(1) << '\n';
    return;
  }
  std::cout << importance_table(report) << "the least important first; "
            << counted(std::ssize(pairs), "pair") << ", loss " << decimal(report.nll, 2)
            << " nats\n";
}

}  // namespace dragoman::app
