#include "dragoman/translate/line_translator.h"

#include "dragoman/core/error.h"
#include "dragoman/core/thread.h"
#include "dragoman/model/pack_weights.h"
#include "dragoman/tensor/device.h"
#include "dragoman/translate/translation_job.h"

#include <algorithm>

namespace dragoman {

LineTranslator::LineTranslator(Transformer model, Vocabulary vocabulary,
                               const SearchOptions& search, const LineTranslatorOptions& options)
    : LineTranslator(std::vector{std::move(model)}, std::move(vocabulary), search, options) {}

LineTranslator::LineTranslator(std::vector<Transformer> models, Vocabulary vocabulary,
                               const SearchOptions& search, const LineTranslatorOptions& options)
    : models_(std::move(models)),
      vocabulary_(std::move(vocabulary)),
      search_(search),
      options_(options) {
  search_.validate();
  expect_thread_count("workers", options_.workers);
  expect_thread_count("threads", options_.threads);
  if (options_.threads < 1)
    throw OptionsError(concat("threads ", options_.threads, ": must be at least 1"));
  if (options_.max_source_length < 1)
    throw OptionsError(
        concat("max_source_length ", options_.max_source_length, ": must be at least 1 piece"));
  options_.workers = worker_count(models_.front()->parameters().front().device(), options_.workers);
  expect_thread_count("workers x threads", options_.workers * options_.threads);
  for (auto& model : models_) {
    if (model->options().position == Position::learned)
      options_.max_source_length =
          std::min(options_.max_source_length, model->options().max_positions - 1);
    if (options_.pack) {
      model = with_packed_weights(model, search_.precision);
    } else {
      model->eval();
    }
  }
}

std::string LineTranslator::description() const {
  const auto type = nlohmann::json(search_.precision).get<std::string>();
  return concat(options_.workers, options_.workers == 1 ? " worker" : " workers", " of ",
                options_.threads, options_.threads == 1 ? " thread" : " threads", ", batches of ",
                search_.batch_tokens, " source pieces, ", options_.pack ? type : "float32",
                " weights",
                !options_.pack ? " of LibTorch"
                : has_packed_kernel(search_.precision)
                    ? " packed for " + packed_instructions(search_.precision)
                : search_.precision == WeightType::float32 ? " of LibTorch"
                                                           : " in plain loops; float32 is faster");
}

std::vector<Translation> LineTranslator::translate(std::span<const std::string> lines,
                                                   const LinesContext& context) const {
  if (!context.prefixes.empty() && context.prefixes.size() != lines.size())
    throw ContractError(concat("LineTranslator::translate: ", context.prefixes.size(),
                               " prefixes for ", lines.size(), " lines"));
  return TranslationJob(models_, vocabulary_, search_, options_, context).run(lines);
}

}  // namespace dragoman
