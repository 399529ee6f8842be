#include "dragoman/train/validation_translations.h"

#include "dragoman/core/display_width.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/translate/line_translator.h"

#include <algorithm>
#include <utility>

namespace dragoman {

ValidationTranslations::ValidationTranslations(const TrainingData& data, const RunOptions& options,
                                               Transformer model)
    : data_(data),
      options_(options),
      tokenizer_(tokenizer_named(options.train.bleu_tokenizer_name())),
      model_(std::move(model)) {
  const auto warning = unsplit_warning(data.valid.target, tokenizer_, "train.bleu_tokenizer=");
  if (warning) log_warning(*warning);
}

void ValidationTranslations::operator()(ValidationResult& result,
                                        const OutputContext& context) const {
  const auto hypotheses = translate(context);
  const std::vector<std::string> reference(data_.valid.target.begin(),
                                           data_.valid.target.begin() + std::ssize(hypotheses));
  result.values["bleu"] = corpus_bleu(hypotheses, {reference}, {.tokenizer = tokenizer_}).score;
  result.values["chrf"] = corpus_chrf(hypotheses, {reference}).score;
  result.samples = samples_of(hypotheses);
}

std::vector<std::string> ValidationTranslations::translate(const OutputContext& context) const {
  const auto all = data_.valid.source.size();
  const auto asked = static_cast<std::size_t>(options_.train.validate_sentences);
  const auto count = asked > 0 ? std::min(asked, all) : all;
  const auto begin_of = [&](std::int64_t rank) {
    return data_.valid.source.begin() +
           static_cast<std::ptrdiff_t>(count) * rank / context.group.size();
  };
  const auto first = begin_of(context.group.rank());
  const std::vector<std::string> own(first, begin_of(context.group.rank() + 1));
  auto search = options_.search;
  search.precision = SearchPrecision::float32;
  const InferenceModels models = {inference_model(model_, search)};
  const auto& vocabulary = *data_.valid.vocabulary;
  const LineTranslator translator(models, vocabulary, search,
                                  {.workers = models.front()->is_on_cpu() ? context.workers : 0,
                                   .max_source_length = options_.data.max_length,
                                   .seed = options_.seed});
  auto texts = nlohmann::json::array();
  try {
    const auto first_line = first - data_.valid.source.begin();
    for (const auto& translation :
         translator.translate(own, {.first_line = first_line, .stop = context.stop}))
      texts.push_back(translation.text());
  } catch (const Cancelled&) {
    texts = nullptr;  // the other ranks wait for this one's
  }
  std::vector<std::string> hypotheses;
  for (const auto& of_rank : context.group.gather(texts.dump())) {
    const auto part = nlohmann::json::parse(of_rank);
    if (part.is_null()) throw Cancelled("validation: stopped by a signal");
    hypotheses.insert(hypotheses.end(), part.begin(), part.end());
  }
  return hypotheses;
}

std::vector<SampleTranslation> ValidationTranslations::samples_of(
    const std::vector<std::string>& hypotheses) const {
  std::vector<std::size_t> chosen;
  const auto is_short = [&](std::size_t i) {
    const auto width = display_width(data_.valid.source[i]);
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
    samples.push_back({.source = data_.valid.source[i],
                       .translation = hypotheses[i],
                       .reference = data_.valid.target[i]});
  return samples;
}

}  // namespace dragoman
