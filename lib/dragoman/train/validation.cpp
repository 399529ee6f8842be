#include "dragoman/train/validation.h"

#include "dragoman/core/display_width.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/translate/line_translator.h"

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
    batches_.push_back(
        make_batch(examples, data.vocabulary.source.special(), data.vocabulary.target.special()));
  }
}

ValidationResult Validation::measure(DataParallel& replicas, Communicator& group) const {
  const auto sums = replicas.evaluate(batches_);
  const auto tokens = static_cast<double>(sums.tokens);
  ValidationResult result{.values = {{"loss", sums.loss / tokens},
                                     {"nll", sums.nll / tokens},
                                     {"perplexity", std::exp(sums.nll / tokens)},
                                     {"accuracy", static_cast<double>(sums.correct) / tokens}}};
  if (!options_.train.validate_translations) return result;
  const auto hypotheses = translate(replicas, group);
  const std::vector<std::string> reference(data_.valid_target.begin(),
                                           data_.valid_target.begin() + std::ssize(hypotheses));
  result.values["bleu"] = corpus_bleu(hypotheses, {reference}).score;
  result.values["chrf"] = corpus_chrf(hypotheses, {reference}).score;
  result.samples = samples_of(hypotheses);
  return result;
}

std::vector<std::string> Validation::translate(DataParallel& replicas, Communicator& group) const {
  const auto all = data_.valid_source.size();
  const auto asked = static_cast<std::size_t>(options_.train.validate_sentences);
  const auto count = asked > 0 ? std::min(asked, all) : all;
  const auto ranks = static_cast<std::size_t>(group.size());
  std::vector<std::string> own;
  for (auto i = static_cast<std::size_t>(group.rank()); i < count; i += ranks)
    own.push_back(data_.valid_source[i]);
  const LineTranslator translator(
      replicas.model(), data_.vocabulary, options_.search,
      {.workers = workers_, .max_source_length = options_.data.max_length});
  auto texts = nlohmann::json::array();
  for (const auto& translation : translator.translate(own)) texts.push_back(translation.text());

  std::vector<std::string> hypotheses(count);
  const auto of_ranks = group.gather(texts.dump());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto part = nlohmann::json::parse(of_ranks[rank]);
    for (std::size_t i = 0; i < part.size(); ++i) hypotheses[rank + i * ranks] = part[i];
  }
  return hypotheses;
}

std::vector<SampleTranslation> Validation::samples_of(
    const std::vector<std::string>& hypotheses) const {
  std::vector<std::size_t> chosen;
  const auto is_short = [&](std::size_t i) {
    const auto width = display_width(data_.valid_source[i]);
    return width >= 15 && width <= 60;
  };
  // The first short sentence after a third of the text, and after two thirds; if there is none,
  // any.
  for (std::size_t third = 1; third <= 2; ++third) {
    const auto first = third * hypotheses.size() / 3;
    auto at = first;
    while (at < hypotheses.size() && !is_short(at)) ++at;
    if (at == hypotheses.size()) at = first;
    if (at < hypotheses.size() && (chosen.empty() || chosen.front() != at)) chosen.push_back(at);
  }
  std::vector<SampleTranslation> samples;
  for (const auto i : chosen)
    samples.push_back({.source = data_.valid_source[i],
                       .translation = hypotheses[i],
                       .reference = data_.valid_target[i]});
  return samples;
}

}  // namespace dragoman
