#include "dragoman/translate/inference_models.h"

#include "dragoman/config/device_name.h"
#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/log.h"
#include "dragoman/inference/engine_model.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/kernels/packed_matrix.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/translate/torch_library.h"

#include <array>
#include <mutex>
#include <string>
#include <utility>

namespace dragoman {

namespace {

OtherModelMaker& maker_of_others() {
  static auto& make = immortal(OtherModelMaker());
  return make;
}

/// Why EngineModel does not suit; empty if it does.
std::string needs_modules(const RunFiles& run, const SearchOptions& search,
                          const std::string& device) {
  if (device != "cpu") return "device " + device;
  return search.cache ? engine_lacks(run.options.model) : "search.cache=false";
}

void log_choice(WeightType type) {
  const auto reason = type == WeightType::int8 ? ": int8, which is faster than float32 with "
                                               : ": float32, since int8 is not faster with ";
  log_info(concat("search.precision=auto", reason, packed_instructions(type)));
}

void warn_if_slower(WeightType type) {
  if (type == WeightType::float32 || type == weight_type(SearchPrecision::automatic)) return;
  const double times = time_against_float32(type);
  if (times < 1.05) return;
  log_warning(slow_products_text("search.precision=" + option_text(type), times, "processor"));
}

/// Logs once for each precision, for models on the CPU: the choice of `auto`, or a warning if what
/// was asked for makes translation slower.
void tell_of_precision(SearchPrecision precision) {
  static std::array<std::once_flag, 4> told;
  std::call_once(told[static_cast<std::size_t>(precision)], [precision] {
    const auto type = weight_type(precision);
    if (precision == SearchPrecision::automatic)
      log_choice(type);
    else
      warn_if_slower(type);
  });
}

std::shared_ptr<const InferenceModel> inference_model(const RunFiles& run,
                                                      const SearchOptions& search,
                                                      const std::string& device) {
  const auto reason = needs_modules(run, search, device);
  run.content->expect_unchanged();
  if (reason.empty()) {
    FileWeights weights(run.weights.string(), run.content);
    auto read = read_engine_weights(run.options.model,
                                    {.source = run.vocabulary.source.vocab_size(),
                                     .target = run.vocabulary.target.vocab_size()},
                                    weights, weight_type(search.precision));
    run.content->drop_pages();
    return std::make_shared<EngineModel>(std::move(read));
  }
  if (maker_of_others()) return maker_of_others()(run, search, device);
  return made_by_torch_library<TorchModelFunction, std::shared_ptr<const InferenceModel>>(
      "dragoman_torch_model", concat(run.checkpoint.string(), ": ", reason), run, search, device);
}

}  // namespace

InferenceModels inference_models(std::span<const RunFiles> runs, const SearchOptions& search,
                                 const std::string& device, std::string_view place) {
  try {
    expect_inference_device_name(std::string(device_option), device);
    if (device == "cpu") tell_of_precision(search.precision);
    InferenceModels models;
    for (const auto& run : runs) models.push_back(inference_model(run, search, device));
    return models;
  } catch (const OptionsError& error) {
    const std::string_view message = error.what();
    if (!message.starts_with(device_option)) throw;
    throw OptionsError(concat(place, message.substr(device_option.size())));
  }
}

void use_for_other_models(OtherModelMaker make) { maker_of_others() = std::move(make); }

}  // namespace dragoman
