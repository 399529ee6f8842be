#include "dragoman/train/validation.h"

#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/translate/translator.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

Validation::Validation(const TrainingData& data, const RunOptions& options, std::int64_t workers)
    : data_(data), options_(options), workers_(workers) {
  if (data.valid.empty()) return;
  const BatchLimits limits{.tokens = std::max(options.train.batch_tokens, options.data.max_length)};
  for (const auto& indices : plan_batches(data.valid, limits, 0)) {
    std::vector<const Example*> examples;
    for (const auto index : indices) examples.push_back(&data.valid[index]);
    batches_.push_back(make_batch(examples, data.vocabulary.source.special(),
                                  data.vocabulary.target.special()));
  }
}

std::map<std::string, double> Validation::measure(Replicas& replicas, Communicator& group) const {
  const auto sums = replicas.evaluate(batches_);
  const auto tokens = static_cast<double>(sums.tokens);
  std::map<std::string, double> values{{"loss", sums.loss / tokens},
                                       {"nll", sums.nll / tokens},
                                       {"perplexity", std::exp(sums.nll / tokens)},
                                       {"accuracy", static_cast<double>(sums.correct) / tokens}};
  if (options_.train.validate_translations) translate(replicas, group, values);
  return values;
}

void Validation::translate(Replicas& replicas, Communicator& group,
                           std::map<std::string, double>& values) const {
  const auto all = data_.valid_source.size();
  const auto asked = static_cast<std::size_t>(options_.train.validate_sentences);
  const auto count = asked > 0 ? std::min(asked, all) : all;
  const auto ranks = static_cast<std::size_t>(group.size());
  std::vector<std::string> own;
  for (auto i = static_cast<std::size_t>(group.rank()); i < count; i += ranks)
    own.push_back(data_.valid_source[i]);
  const Translator translator(replicas.model(), data_.vocabulary, options_.search,
                              {.workers = workers_, .max_source_length = options_.data.max_length});
  auto texts = nlohmann::json::array();
  for (const auto& translation : translator.translate(own)) texts.push_back(translation.text());

  std::vector<std::string> hypotheses(count);
  const auto of_ranks = group.gather(texts.dump());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto part = nlohmann::json::parse(of_ranks[rank]);
    for (std::size_t i = 0; i < part.size(); ++i) hypotheses[rank + i * ranks] = part[i];
  }
  const std::vector<std::string> reference(
      data_.valid_target.begin(), data_.valid_target.begin() + static_cast<std::ptrdiff_t>(count));
  values["bleu"] = corpus_bleu(hypotheses, {reference}).score;
  values["chrf"] = corpus_chrf(hypotheses, {reference}).score;
}

}  // namespace dragoman
