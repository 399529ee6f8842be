#include "dragoman/convert/quantize.h"

#include "dragoman/config/parse.h"
#include "dragoman/convert/imported_run.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/tokenizers.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/new_run.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/quantized.h"
#include "dragoman/translate/line_translator.h"

namespace dragoman {

namespace {

/// That of the run's validations; characters, if that one finds no words in the references.
BleuTokenizer tokenizer_for(const LoadedRun& run, const QuantizationTest& test) {
  const auto own = tokenizer_named(run.options.train.bleu_tokenizer_name());
  std::vector<std::string> references;
  for (const auto& pair : test.pairs) references.push_back(pair.target);
  return suitable_tokenizer(references, own);
}

double bleu_of(const LoadedRun& run, Transformer model, WeightType type,
               const QuantizationTest& test, BleuTokenizer tokenizer) {
  model->to(test.device);
  auto search = run.options.search;
  search.precision = precision_with(type);
  const LineTranslator translator({inference_model(model, search)}, run.vocabulary, search,
                                  {.max_source_length = run.options.data.max_length});
  std::vector<std::string> sources, hypotheses;
  std::vector<std::vector<std::string>> references(1);
  for (const auto& pair : test.pairs) {
    sources.push_back(pair.source);
    references.front().push_back(pair.target);
  }
  for (const auto& translation : translator.translate(sources))
    hypotheses.push_back(translation.text());
  return corpus_bleu(hypotheses, references, {.tokenizer = tokenizer}).score;
}

/// A separate model with these weights.
Transformer model_with(const LoadedRun& run, const NamedTensors& tensors) {
  Transformer model(run.options.model, run.model->vocabulary());
  load_parameters(*model, tensors, "the weights of " + run.checkpoint.string());
  model->eval();
  return model;
}

std::string state_text(const LoadedRun& run, const QuantizationLoss& loss) {
  const nlohmann::ordered_json state = {
      {"format_version", checkpoint_format_version},
      {"step", run.step},
      {"quantized_from", utf8::replace_invalid(run.checkpoint.string())},
      {"weights", loss.type},
      {"bleu_float32", loss.bleu_float32},
      {"bleu", loss.bleu},
      {"bleu_difference", loss.difference()},
      {"bleu_sentences", loss.sentences},
      {"bleu_tokenizer", loss.tokenizer}};
  return state.dump(2) + "\n";
}

}  // namespace

QuantizationLoss quantize_run(const LoadedRun& run, WeightType type, const QuantizationTest& test,
                              const std::filesystem::path& out_dir) {
  if (type == WeightType::int8 && !test.device.is_cpu())
    throw OptionsError(
        concat("device: int8 is computed on a CPU, and so it is measured there, not on ",
               test.device.str(), "; leave --device out"));
  expect_empty_folder(out_dir);
  const auto whole = parameters_of(*run.model);
  const auto fewer = dequantized(quantized(whole, type), run.checkpoint.string());
  const auto tokenizer = tokenizer_for(run, test);
  const QuantizationLoss loss = {
      .type = type,
      .bleu_float32 = bleu_of(run, model_with(run, whole), WeightType::float32, test, tokenizer),
      .bleu = bleu_of(run, model_with(run, fewer), type, test, tokenizer),
      .sentences = test.pairs.size(),
      .tokenizer = tokenizer_name(tokenizer)};
  auto options = run.options;
  options.search.precision = precision_with(type);
  write_new_run(out_dir, run.step, to_text(options), [&](CheckpointWriter& writer) {
    write_model(writer, options, *run.model, run.vocabulary, {.weights = type});
    writer.write(state_file, state_text(run, loss));
    for (const auto& shortlist : imported_shortlists(run.checkpoint))  // of the same vocabularies
      write_file_atomically(out_dir / shortlist.filename(), read_regular_file(shortlist));
  });
  return loss;
}

}  // namespace dragoman
